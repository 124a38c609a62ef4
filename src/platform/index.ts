/**
 * The outside world: files, processes, the log's stream. Promises: small functions that do one thing
 * to the world and report what happened. Refuses to know: tools, packages, the protocol.
 */

export type { ScannedFile } from './file-reader.ts'
export { findUpward, listFolder, makeFolder, readTextIfThere, removeFile, writeFileAtomic } from './files.ts'
export type { LogSink } from './log.ts'
export { createLog, openLogSink } from './log.ts'
export { isRunning, signalProcess, startTicks } from './pid.ts'
export { probePort } from './port.ts'
export { createNodeStarter } from './process/node-starter.ts'
export type { ProcessEnd, ProcessRequest, ProcessStarter, SpawnProblem } from './process/starter.ts'
export { findProgram, versionOf } from './programs.ts'
export type { Scan } from './scan.ts'
export { scanFolder } from './scan.ts'
export { terminalIsGone } from './terminal.ts'
export { waitUntil } from './wait.ts'
export { watchDirectories } from './watch.ts'
