/**
 * The words of Orla. Promises: plain readonly values and pure functions over them.
 * Refuses to know: files, processes, protocols, formats. Imports nothing of Orla's.
 */
export type {
  Call,
  Caller,
  CallResult,
  CallTool,
  FailureReason,
  Measurement,
  ObserveCall,
  Output,
  PassedOver,
  Progress,
  Streams,
  Text,
} from './call.ts'
export { NO_TEXT } from './call.ts'
export type {
  CapsuleControl,
  CapsuleLogLine,
  CapsuleState,
  CapsuleStatus,
  OfferedTool,
} from './capsule.ts'
export type { Catalog, Document, Problem, Prompt } from './catalog.ts'
export { EMPTY_CATALOG } from './catalog.ts'
export type {
  AuditConfig,
  AuthConfig,
  Config,
  Limits,
  SandboxSettings,
  ServerRecord,
  TokenConfig,
  ToolLimits,
} from './config.ts'
export type { ErrorCode } from './errors.ts'
export { ERRORS, OrlaError } from './errors.ts'
export type { Grant, GrantKey, GrantManner } from './grant.ts'
export { sha1, sha256 } from './hash.ts'
export type { Hidden } from './hidden-text.ts'
export { findHidden, findHiddenIn, showHidden, showHiddenIn } from './hidden-text.ts'
export type { Json, JsonObject, JsonSchema } from './json.ts'
export { isJsonObject } from './json.ts'
export { isTextTooDeep, isTooDeep, MAX_DEPTH, TOO_DEEP } from './json-depth.ts'
export type { Log, LogFields, LogLevel } from './log.ts'
export { LOG_LEVELS } from './log.ts'
export { lookNumber, looksOf } from './look-alikes.ts'
export type {
  ChainStep,
  HttpEndpoint,
  HttpMethod,
  LocalEndpoint,
  McpkgAuth,
  McpkgEndpoint,
  McpkgImplementation,
  McpkgManifest,
  McpkgMeta,
  McpkgProvenance,
  McpkgPublisher,
  McpkgRequirements,
  StepInput,
} from './mcpkg.ts'
export type {
  Lock,
  LockEntry,
  Manifest,
  ManifestLimits,
  ManifestRuntime,
  Pin,
  Receipt,
  Registry,
  RegistryEntry,
} from './package.ts'
export { RECEIPT } from './package.ts'
export type { Permission, PermissionPath } from './permission.ts'
export type { Evidence, Fit, PartName, Score, ScorePart } from './ranking.ts'
export type { CallRecord, KeptNode, KeptValue } from './recording.ts'
export type {
  Confinement,
  Enforcement,
  SandboxBackend,
  SandboxLimits,
  SandboxNetwork,
  SandboxPath,
  SandboxProfile,
} from './sandbox.ts'
export type { Signature, SignatureOutcome, SignaturePolicy } from './signature.ts'
export { hiderOf } from './spellings.ts'
export type { Latency, TestStatistics, ToolStatistics } from './statistics.ts'
export { blamesTool } from './statistics.ts'
export { editDistance, escapeControls, harmlessJson, jsonLine, nearest, oneLine } from './text.ts'
export { nameTier } from './tier-name.ts'
export type {
  Candidate,
  Capsule,
  Command,
  HttpCandidate,
  LocalCandidate,
  Origin,
  PackageFacts,
  RestartPolicy,
  Run,
  RunKind,
  RunKinds,
  Tool,
  WrittenFace,
} from './tool.ts'
export { commandsOf, isToolName, NO_VERSION, OPEN_INPUT } from './tool.ts'
