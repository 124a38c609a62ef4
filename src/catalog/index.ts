/**
 * The set of tools: found, compared. Promises: a catalog is built whole and never changed; one broken
 * file never hides another; the same files always give the same catalog.
 * Refuses to know: how a tool is run and who asks for it.
 */
export { diffCatalogs } from './diff.ts'
export type { Discovered, Where } from './discover.ts'
export { createDiscovery } from './discover.ts'
export type { PackageMode } from './mcpkg-tools.ts'
export { chooseFor, packageMode, toolOfMcpkg } from './mcpkg-tools.ts'
export type { FoundPackage, InstalledFolder, PackageGuard } from './packages.ts'
export type { HistogramBar } from './statistics/histogram.ts'
export type { HeardTests, Recorder } from './statistics/recorder.ts'
export { createRecorder } from './statistics/recorder.ts'
export type { Statistics, StatisticsOptions } from './statistics/statistics.ts'
export { compactStatistics, openStatistics } from './statistics/statistics.ts'
export type { Draft, DraftStep } from './suggestions/draft.ts'
export { draftOf, mappingOf, timesOf } from './suggestions/draft.ts'
export { isSameChain } from './suggestions/same-chain.ts'
export type { Sequence } from './suggestions/sequences.ts'
export { findSequences } from './suggestions/sequences.ts'
export { chainName, stepNames } from './suggestions/step-names.ts'
