/**
 * The one place of wiring: configuration, catalog, runtime and server meet here. Promises: one function
 * for each thing a command does, returning data. Refuses to know: how anything is printed.
 */

export type {
  BaselineReport,
  DiffLine,
  PackageDiff,
  Regression,
  SchemaChange,
  TestDiff,
  TestOutcome,
  TestReport,
} from '../formats/index.ts'
export {
  countOutcomes,
  describeUnenforced,
  describeWord,
  EXPORT_FORMATS,
  isFailed,
  keyFingerprint,
  msWords,
  packageDiffJson,
  regressionDetails,
  schemaChangeWords,
  shapeChangeWords,
  slowerWords,
  statisticsJson,
  successRate,
  whatBreaks,
} from '../formats/index.ts'
export type { Plan, PlannedPackage } from '../packages/index.ts'
export { sourceOf as shownSource } from '../packages/index.ts'
export { createOutlet, lookFrom, type Outlet } from '../platform/index.ts'
export { readAudit } from './audit/read-audit.ts'
export { callOnce, readAll } from './call-once.ts'
export { scaffoldChain } from './chains/scaffold.ts'
export type { ShownChain } from './chains/show.ts'
export { listChains, showChain } from './chains/show.ts'
export type { Suggestion } from './chains/suggest.ts'
export { suggestChains } from './chains/suggest.ts'
export type { ConfigRequest } from './config.ts'
export { loadConfig } from './config.ts'
export { capsuleLogs, commandCapsule, listCapsules } from './control.ts'
export { diffPackages } from './diff/diff-packages.ts'
export type { Check } from './doctor.ts'
export { examine } from './doctor.ts'
export { exportCatalog } from './export.ts'
export { grantPackage } from './grants/grant.ts'
export { listGrants } from './grants/list.ts'
export { revokeGrants } from './grants/revoke.ts'
export { initProject } from './init.ts'
export { listTools } from './inspect.ts'
export { newerPackages } from './news.ts'
export { cacheDir, cacheSize, clearCache } from './packages/cache.ts'
export type { Conversation, NetworkOptions } from './packages/context.ts'
export { everyonesPackages, orEveryones } from './packages/everyones.ts'
export type { PackageInfo } from './packages/info.ts'
export { packageInfo } from './packages/info.ts'
export { installPackages } from './packages/install.ts'
export {
  listOutdated,
  rollbackPackage,
  uninstallPackages,
  updatePackages,
  usePackage,
} from './packages/manage.ts'
export { packPackage } from './packages/pack.ts'
export { publishPackage } from './packages/publish.ts'
export {
  addRegistryTo,
  addToolTo,
  initRegistry,
  listRegistries,
  removeRegistryFrom,
} from './packages/registries.ts'
export type { Language } from './packages/scaffold.ts'
export { scaffoldPackage } from './packages/scaffold.ts'
export { searchPackages } from './packages/search.ts'
export { validatePackage } from './packages/validate.ts'
export type { Ranking } from './ranking/rank.ts'
export { rankTools } from './ranking/rank.ts'
export type { Recommendation, Recommendations } from './ranking/recommend.ts'
export { recommend } from './ranking/recommend.ts'
export { reloadServers } from './reload-servers.ts'
export type { SandboxExplanation } from './sandbox/explain.ts'
export { explainSandbox } from './sandbox/explain.ts'
export { runInSandbox } from './sandbox/run.ts'
export { listSecrets, removeSecret, setSecret } from './secrets.ts'
export type { Serving } from './serve.ts'
export { serve } from './serve.ts'
export { acceptDefinitions } from './signing/definitions.ts'
export type { OwnKey } from './signing/keys.ts'
export { exportKey, generateKey, importKey, listKeys, rotateKey } from './signing/keys.ts'
export { signPackage } from './signing/sign.ts'
export { distrustKey, listTrust, revokeKey, trustKey } from './signing/trust.ts'
export type { Verification } from './signing/verification.ts'
export { verifyPackages } from './signing/verify.ts'
export type { ShownStatistics, ShownTool } from './statistics/show.ts'
export { clearStatistics, showStatistics, showTool } from './statistics/show.ts'
export type { ReportFormat } from './testing/reports.ts'
export { renderReport, writeReport } from './testing/reports.ts'
export type { TestRequest, TestRun } from './testing/run-tests.ts'
export { runTests } from './testing/run-tests.ts'
export type { TestAudience } from './testing/watch.ts'
export { watchTests } from './testing/watch.ts'
export type { World } from './world.ts'
export { wantsColour } from './world.ts'
