import { isJsonObject, type JsonObject, type Receipt } from '../model/index.ts'
import { checkInnerPath } from './inner-path.ts'
import { checkInstallName } from './mcpkg/install-name.ts'
import { orderPin } from './pin-shape.ts'
import { parseVersion } from './version.ts'

/**
 * The receipt that a text is; undefined when it is none. Whether to believe it is for the caller to know.
 * Every start reads the receipts of all packages, so the check is written by hand: the shapes, which explain
 * each problem, take four times as long.
 */
export function parseReceipt(source: string): Receipt | undefined {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    return undefined
  }
  // The checks below are those of the type.
  return isJsonObject(value) && isReceipt(value) ? (value as unknown as Receipt) : undefined
}

export function formatReceipt(receipt: Receipt): string {
  const { name, version, pin, digest, installed_at, permissions, manifest } = receipt
  const { manifest_sha256, hook, digest_after_hook, signer } = receipt
  const ordered: Receipt = {
    v: 1,
    name,
    version,
    pin: orderPin(pin),
    digest,
    installed_at,
    permissions,
    manifest,
    ...(manifest_sha256 === undefined ? {} : { manifest_sha256 }),
    ...(hook === undefined ? {} : { hook }),
    ...(digest_after_hook === undefined ? {} : { digest_after_hook }),
    ...(signer === undefined ? {} : { signer }),
  }
  return `${JSON.stringify(ordered, null, 2)}\n`
}

function isReceipt(receipt: JsonObject): boolean {
  const { manifest, pin } = receipt
  return (
    receipt.v === 1 &&
    isText(receipt.digest) &&
    isText(receipt.installed_at) &&
    !Number.isNaN(Date.parse(receipt.installed_at)) &&
    isTexts(receipt.permissions) &&
    (receipt.manifest_sha256 === undefined || isText(receipt.manifest_sha256)) &&
    (receipt.hook === undefined || receipt.hook === 'pending') &&
    (receipt.digest_after_hook === undefined || isText(receipt.digest_after_hook)) &&
    (receipt.signer === undefined || isText(receipt.signer)) &&
    isJsonObject(pin) &&
    isPin(pin) &&
    isJsonObject(manifest) &&
    manifest.name === receipt.name &&
    manifest.version === receipt.version &&
    isManifest(manifest)
  )
}

function isPin(pin: JsonObject): boolean {
  if (pin.registry !== undefined && !isText(pin.registry)) return false
  if (pin.kind === 'git') return isText(pin.url) && isText(pin.tag) && isText(pin.commit)
  if (pin.kind === 'archive') return isText(pin.from) && isText(pin.sha256)
  return pin.kind === 'directory' && isText(pin.path)
}

function isManifest(manifest: JsonObject): boolean {
  const { name, version, entrypoint, mcp, runtime, limits, hooks } = manifest
  return (
    isText(name) &&
    checkInstallName(name) === undefined &&
    isText(version) &&
    parseVersion(version) !== null &&
    isText(manifest.description) &&
    isInner(entrypoint) &&
    OPTIONAL_TEXTS.every((key) => manifest[key] === undefined || typeof manifest[key] === 'string') &&
    isTexts(manifest.keywords) &&
    isTexts(manifest.capabilities) &&
    isTexts(manifest.dependencies) &&
    (manifest.permissions === null || isTexts(manifest.permissions)) &&
    isJsonObject(mcp) &&
    [mcp.annotations, mcp.meta, mcp.inputSchema, mcp.outputSchema].every(isMapOrAbsent) &&
    (mcp.icons === undefined || (Array.isArray(mcp.icons) && mcp.icons.every(isJsonObject))) &&
    (mcp.title === undefined || typeof mcp.title === 'string') &&
    isJsonObject(runtime) &&
    isRuntime(runtime) &&
    isJsonObject(limits) &&
    Object.values(limits).every((limit) => typeof limit === 'number') &&
    isJsonObject(hooks) &&
    (hooks.postInstall === undefined || isInner(hooks.postInstall))
  )
}

const OPTIONAL_TEXTS = ['author', 'license', 'repository', 'homepage', 'language']
const RUNTIME_NUMBERS = ['timeoutMs', 'startupTimeoutMs', 'idleTimeoutMs', 'maxConcurrency']

function isRuntime(runtime: JsonObject): boolean {
  const { hotLoad, env } = runtime
  return (
    (runtime.mode === 'simple' || runtime.mode === 'capsule') &&
    isJsonObject(env) &&
    isTexts(Object.values(env)) &&
    isTexts(runtime.args) &&
    RUNTIME_NUMBERS.every((key) => runtime[key] === undefined || typeof runtime[key] === 'number') &&
    [undefined, 'orla', 'mcp'].some((choice) => choice === runtime.handshake) &&
    [undefined, 'lazy', 'eager'].some((choice) => choice === runtime.start) &&
    [runtime.health, runtime.restart].every(isMapOrAbsent) &&
    (hotLoad === undefined ||
      (isJsonObject(hotLoad) && isTexts(hotLoad.watch) && typeof hotLoad.debounceMs === 'number'))
  )
}

function isInner(value: unknown): boolean {
  return typeof value === 'string' && checkInnerPath(value) === undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isMapOrAbsent(value: unknown): boolean {
  return value === undefined || isJsonObject(value)
}
