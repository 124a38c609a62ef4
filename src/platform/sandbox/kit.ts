/** All that holding programs back takes, loaded when the first one is to be held. */
export { withArgumentFiles } from './argument-files.ts'
export { toAccept } from './enforceable.ts'
export { createLimitedStarter } from './limited.ts'
export { probeTiers } from './probe.ts'
export { SandboxRefusal } from './refusal.ts'
export { resolveProfile } from './resolve-profile.ts'
export { createSandboxedStarter } from './starter.ts'
