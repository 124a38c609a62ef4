import type { JsonObject, JsonSchema } from './json.ts'

/** What a package says about itself, checked and complete. Every manifest format becomes this. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  /** Relative to the package, with forward slashes. */
  readonly entrypoint: string
  readonly author?: string
  readonly license?: string
  readonly repository?: string
  readonly homepage?: string
  readonly language?: string
  readonly keywords: readonly string[]
  readonly capabilities: readonly string[]
  /** As written: `python>=3.8`, `jq`, `tool:fs>=0.2.0`. */
  readonly dependencies: readonly string[]
  /** Permission words as written; null when the key is absent. */
  readonly permissions: readonly string[] | null
  readonly mcp: {
    readonly title?: string
    readonly icons?: readonly JsonObject[]
    readonly annotations?: JsonObject
    readonly meta?: JsonObject
    readonly inputSchema?: JsonSchema
    readonly outputSchema?: JsonSchema
  }
  readonly runtime: ManifestRuntime
  readonly limits: ManifestLimits
  readonly hooks: { readonly postInstall?: string }
}

export interface ManifestRuntime {
  readonly mode: 'simple' | 'capsule'
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  readonly timeoutMs?: number
  /** The rest belongs to capsules. */
  readonly startupTimeoutMs?: number
  readonly hotLoad?: { readonly watch: readonly string[]; readonly debounceMs: number }
  /** Which words a capsule says when it is ready: those of Orla, or those of an MCP server. */
  readonly handshake?: 'orla' | 'mcp'
  readonly start?: 'lazy' | 'eager'
  readonly health?: { readonly intervalMs?: number; readonly timeoutMs?: number }
  readonly idleTimeoutMs?: number
  readonly maxConcurrency?: number
  readonly restart?: {
    readonly baseMs?: number
    readonly capMs?: number
    readonly limit?: number
    readonly windowMs?: number
  }
}

/** Bounds a package sets for itself; the operator's own are never widened by them. */
export interface ManifestLimits {
  readonly timeoutMs?: number
  readonly cpuMs?: number
  readonly memoryBytes?: number
  readonly processes?: number
  readonly fileBytes?: number
  readonly outputBytes?: number
}

/** Where a package came from, exactly: enough to fetch the same bytes again. */
export type Pin =
  | {
      readonly kind: 'git'
      readonly url: string
      readonly tag: string
      readonly commit: string
      /** The registry that named the repository, if one did. */
      readonly registry?: string
    }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'archive'; readonly from: string; readonly sha256: string; readonly registry?: string }

/** Where it stands in the folder of an installed package. */
export const RECEIPT = '.orla-receipt.json'

/** What was installed, from where, checked how. Lives beside the manifest and is not part of the content. */
export interface Receipt {
  readonly v: 1
  readonly name: string
  readonly version: string
  readonly pin: Pin
  /** SHA-256 of the content listing. */
  readonly digest: string
  readonly installed_at: string
  /** The permissions a person accepted. */
  readonly permissions: readonly string[]
  readonly manifest: Manifest
  /** Of the manifest's text: as long as it fits, `manifest` need not be read from the file again. */
  readonly manifest_sha256?: string
  /** Until its hook has succeeded a package is not installed. */
  readonly hook?: 'pending'
  /** Like `digest`, of everything that is there after a hook that changed or made files. */
  readonly digest_after_hook?: string
  /** The key that signed it: `ssh-ed25519 AAAA…`. */
  readonly signer?: string
}

/** One line of orla.lock: a package, pinned. */
export interface LockEntry {
  readonly name: string
  readonly version: string
  readonly pin: Pin
  readonly digest: string
  readonly permissions: readonly string[]
  /** SHA-256 over name, description, schemas and annotations: what a model is told. */
  readonly definition: string
  /** The key that signed it: `ssh-ed25519 AAAA…`. */
  readonly signer?: string
}

export interface Lock {
  readonly v: 1
  readonly packages: readonly LockEntry[]
}

/** A place that turns tool names into repositories. */
export interface Registry {
  readonly name: string
  readonly url: string
}

/** What registry.yaml says about one tool. */
export interface RegistryEntry {
  readonly name: string
  readonly description: string
  /** Git repository, archive or download location. */
  readonly repository: string
  readonly maintainer?: string
  readonly keywords: readonly string[]
  readonly capabilities: readonly string[]
  readonly language?: string
  readonly platforms: readonly string[]
  readonly sha256?: string
  /** It is downloaded, whatever its address ends in. */
  readonly archive?: true
}
