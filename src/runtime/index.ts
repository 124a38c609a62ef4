/**
 * Carries out one call, and keeps the processes that stay. Promises: a tool's failure is a value that says what
 * happened and the way out; only an unknown name throws; every call is measured. Refuses to know: where tools
 * come from and who is on the wire.
 */

export type { CallCheck, RuntimeSettings } from './call.ts'
export { createCallTool } from './call.ts'
export type { CapsuleDeps, Capsules } from './capsule/capsules.ts'
export { createCapsules } from './capsule/capsules.ts'
export { stepValue } from './chain/result.ts'
export { placesOf } from './chain/schedule.ts'
export type { Confine, Hold, Subject } from './confine.ts'
export { environmentOf, secretsFor } from './environment.ts'
export { sizeWords } from './measure-words.ts'
export { schemaJudges } from './schema-judges.ts'
export { shortest } from './time-limit.ts'
export { loadSchemaKit } from './validate.ts'
