/**
 * Packages from asked-for to installed. Promises: a failed or interrupted install changes nothing; what is
 * there was checked and recorded; every network address was judged before use.
 * Refuses to know: how people are asked and how tools are run; both come in as functions.
 */

export { signatureOf } from './candidate-signature.ts'
export type { CheckedPackage } from './check.ts'
export { checkPackage, writtenManifest } from './check.ts'
export type { CheckKit } from './check-mcpkg.ts'
export { checkMcpkg } from './check-mcpkg.ts'
export { changeEntries } from './entry-list.ts'
export type {
  InstallDeps,
  InstalledPackage,
  InstallMemory,
  InstallOptions,
  InstallReport,
} from './install.ts'
export { install } from './install.ts'
export type { InstalledVersion } from './installed.ts'
export { installedVersions } from './installed.ts'
export { rootOf } from './layout.ts'
export { link } from './link.ts'
export { addToLocks, readLocks } from './locks.ts'
export type { Outdated, Outlook } from './outdated.ts'
export { findOutdated } from './outdated.ts'
export { dropOwnFiles } from './own-files.ts'
export { sourceOf } from './pin-words.ts'
export type { Places } from './places.ts'
export type { Plan, PlannedPackage } from './ports.ts'
export { CALLS_NOTHING } from './ports.ts'
export type { RegistryIndex } from './registry-index.ts'
export { loadIndex } from './registry-index.ts'
export type { SearchFilters, SearchResult } from './search.ts'
export { passes, searchIndexes } from './search.ts'
export type { Spec } from './spec.ts'
export { parseSpec } from './spec.ts'
export type { StagedPackage } from './stage.ts'
export { stagePackage } from './stage.ts'
export type { Trust } from './trust.ts'
export { judgeKey, trustAddress, trustSource } from './trust.ts'
export type { ToRemove } from './uninstall.ts'
export { uninstall } from './uninstall.ts'
export { unmetAmong } from './unmet.ts'
export type { Wanted } from './wanted.ts'
export { besidePackage } from './working-copy.ts'
