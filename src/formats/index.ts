/**
 * Text to model, a file per format. Promises: pure functions; every problem with its place.
 * Refuses to know: where the text came from and what is done with the result.
 */
export type { ConfigFile, Setting } from './config.ts'
export { CONFIG, configJsonSchema, SETTINGS, toConfig } from './config.ts'
export { headEnd, readLoose, toolNameOf } from './loose.ts'
export type { Issue } from './shape.ts'
export { SIDECAR } from './sidecar.ts'
export type { ReadYaml, YamlProblem } from './yaml.ts'
export { loadYaml } from './yaml.ts'
