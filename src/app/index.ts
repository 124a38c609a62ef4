/**
 * The one place of wiring: configuration, catalog, runtime and server meet here. Promises: one function
 * for each thing a command does, returning data. Refuses to know: how anything is printed.
 */
export { callOnce, readAll } from './call-once.ts'
export type { ConfigRequest } from './config.ts'
export { loadConfig } from './config.ts'
export type { Check } from './doctor.ts'
export { examine } from './doctor.ts'
export { initProject } from './init.ts'
export { listTools } from './inspect.ts'
export { reloadServers } from './reload-servers.ts'
export type { Serving } from './serve.ts'
export { serve } from './serve.ts'
export type { World } from './world.ts'
export { wantsColour } from './world.ts'
