/**
 * The outside world: files, processes, the log's stream. Promises: small functions that do one thing
 * to the world and report what happened. Refuses to know: tools, packages, the protocol.
 */

export { openAppendFile } from './append-file.ts'
export type { ArchiveLimits, ExtractOptions } from './archive/extract.ts'
export { extractArchive, readArchive } from './archive/extract.ts'
export { packTarGz, packZip } from './archive/pack.ts'
export type { ArchiveCache } from './archive-cache.ts'
export { openArchiveCache } from './archive-cache.ts'
export { watchAudience } from './audience.ts'
export { readBounded } from './bounded-file.ts'
export type { CopyTreeOptions } from './copy-tree.ts'
export { copyTree } from './copy-tree.ts'
export { discard } from './discard.ts'
export type { DownloadOptions } from './download.ts'
export { download, isArchiveAt } from './download.ts'
export { readBeginning, readWhole } from './file-reader.ts'
export {
  findUpward,
  listFolder,
  makeFolder,
  readTextIfThere,
  realPath,
  realPathBelow,
  removeFile,
  whyNotWritable,
  writeFileAtomic,
} from './files.ts'
export { folderBytes } from './folder-bytes.ts'
export type { FolderLockOptions } from './folder-lock.ts'
export { withFolderLock } from './folder-lock.ts'
export {
  duplicateFolder,
  linkFolder,
  moveAway,
  removeFolder,
  removeIfEmpty,
} from './folders.ts'
export type { EnsureOptions, ExportTagOptions, GitCache } from './git/cache.ts'
export { createGitCache } from './git/cache.ts'
export type { Git, GitRequest } from './git/git.ts'
export { createGit } from './git/git.ts'
export type { GitUrl } from './git/git-url.ts'
export { checkGitUrl, originOf } from './git/git-url.ts'
export { lastMove } from './git/last-move.ts'
export type { TagCommit } from './git/list-tags.ts'
export type { RemoteOptions } from './git/remote.ts'
export { initRepository, openWorkingCopy } from './git/working-copy.ts'
export { hostMark } from './host-mark.ts'
export { lookAtHost } from './host-programs.ts'
export type { HttpAnswer, HttpClient, HttpMessage } from './http-client.ts'
export { createHttpClient } from './http-client.ts'
export { compactJournals, countJournals } from './journal/compact.ts'
export { readJournals } from './journal/reader.ts'
export type { JournalWriter } from './journal/writer.ts'
export { openJournal } from './journal/writer.ts'
export { putKeptFile, sweepParts } from './kept-file.ts'
export { readKeyFile } from './key-file.ts'
export type { LineBuffer } from './line-buffer.ts'
export { createLineBuffer } from './line-buffer.ts'
export type { LineFile } from './line-file.ts'
export { openLineFile } from './line-file.ts'
export type { LocalSocket } from './local-socket.ts'
export { askLocal, listenLocal } from './local-socket.ts'
export type { LogSettings, LogSink } from './log.ts'
export { createLog, isLogged, openLogSink, recordLine } from './log.ts'
export { stringText, timeText } from './log-json.ts'
export { LOOK_NUMBERS, type LookAt, lookAt, lookFrom } from './look-at.ts'
export { loadLooker, lookerFile } from './looker.ts'
export { makePath } from './make-path.ts'
export { nowMs } from './now-ms.ts'
export { createOrderedLookup } from './ordered-lookup.ts'
export { createOutlet, createPlainOutlet, type Outlet } from './outlet.ts'
export { ownKey } from './own-key.ts'
export type { PartedFile } from './parted-file.ts'
export { openParts } from './parted-file.ts'
export { isFolder, isLink } from './path-kind.ts'
export { comparePaths } from './path-order.ts'
export { isRunning, signalProcess, startTicks } from './pid.ts'
export { probePort } from './port.ts'
export { readPrivateFile, writePrivateFile } from './private-file.ts'
export { findLauncher } from './process/launcher/find.ts'
export type { LauncherStarter } from './process/launcher/starter.ts'
export { createLauncherStarter } from './process/launcher/starter.ts'
export { createNodeStarter } from './process/node-starter.ts'
export type {
  OpenEnd,
  OpenFailure,
  OpenProcess,
  ProcessEnd,
  ProcessRequest,
  ProcessStarter,
  SpawnProblem,
} from './process/starter.ts'
export { createWarmStarter } from './process/warm/starter.ts'
export type { ProgramFile } from './program-file.ts'
export { lookAtProgram } from './program-file.ts'
export { findProgram, versionOf } from './programs.ts'
export { MOST_NUMBER_BYTES, putBytes, putDigitsBefore, putHundredths, putNumber } from './put-bytes.ts'
export type { QuietFolders } from './quiet-folders.ts'
export { allHeard, watchQuiet } from './quiet-folders.ts'
export { readLinesIfThere } from './read-lines.ts'
export { isPipe, readPipe } from './read-pipe.ts'
export type { Unsettled } from './sandbox/draft.ts'
export type { GatePassage } from './sandbox/host-gate.ts'
export { loadSandbox } from './sandbox/load.ts'
export type { SandboxHost } from './sandbox/probe.ts'
export type { SandboxPlace } from './sandbox/resolve-profile.ts'
export type { SandboxedStarter } from './sandbox/starter.ts'
export { runOnTerminal } from './sandbox/terminal.ts'
export type { Scan, ScannedFile, ScannedPackage, ScanOptions } from './scan.ts'
export { scanFolder } from './scan.ts'
export type { SecretFile } from './secret-file.ts'
export { openSecretFile } from './secret-file.ts'
export { isSettled } from './settled.ts'
export { shownUrl, withoutCredentials } from './shown-url.ts'
export type { Staging } from './staging.ts'
export { openStaging, sweepStaging } from './staging.ts'
export type { StateFile } from './state-file.ts'
export { openStateFile } from './state-file.ts'
export { terminalIsGone } from './terminal.ts'
export type { TreeFile } from './tree.ts'
export { hashFile, listTree, surveyTree, walk } from './tree.ts'
export type { TreeStamp } from './tree-stamp.ts'
export {
  addToStamp,
  changedPaths,
  hasSameNames,
  markFile,
  readStamp,
  refreshStamp,
  stampTree,
} from './tree-stamp.ts'
export { waitUntil } from './wait.ts'
export { watchDirectories } from './watch.ts'
export type { TreeWatcher } from './watch-trees.ts'
export { watchTrees } from './watch-trees.ts'
export { isWatchable } from './watchable.ts'
