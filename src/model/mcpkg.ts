import type { Json, JsonObject, JsonSchema } from './json.ts'

/** manifest.json of an .mcpkg, checked and complete. Has an endpoint, implementations or a chain. */
export interface McpkgManifest {
  readonly toolId: string
  /** For people. */
  readonly name: string
  readonly version: string
  readonly description: string
  readonly capabilities: readonly string[]
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  readonly endpoint?: McpkgEndpoint
  readonly auth: McpkgAuth
  /** Paths inside the package, in their shortest spelling. */
  readonly tests: readonly string[]
  readonly examples: readonly string[]
  readonly implementations: readonly McpkgImplementation[]
  /** What runs instead of everything else, when it is there. */
  readonly chain?: readonly ChainStep[]
  /** Permission words as written; null when the key is absent. */
  readonly permissions: readonly string[] | null
  readonly meta: McpkgMeta
}

export type McpkgEndpoint = HttpEndpoint | LocalEndpoint

export interface HttpEndpoint {
  readonly type: 'http'
  readonly method: HttpMethod
  /** Absolute; `{name}` in its path stands for an argument. */
  readonly url: string
  readonly timeoutMs?: number
}

export interface LocalEndpoint {
  readonly type: 'local'
  /** As written. */
  readonly command: string
  /** The same, split; there is a first one. */
  readonly words: readonly string[]
  readonly timeoutMs?: number
}

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface McpkgAuth {
  readonly type: 'none' | 'bearer' | 'api_key' | 'oauth2'
  readonly scopes: readonly string[]
  /** Names of the secrets, in order: the token or key; for oauth2 with a token URL the id and the secret. */
  readonly env: readonly string[]
  /** Where an API key goes; neither: the header `X-API-Key`. */
  readonly header?: string
  readonly query?: string
  readonly tokenUrl?: string
  readonly docsUrl?: string
  /** All hints as written, for people. */
  readonly hints: JsonObject
}

/** One way to carry the tool out. */
export interface McpkgImplementation {
  readonly id: string
  readonly language?: string
  /** `node`, `node20`, `python3.11`, `net8.0`, `browser`; absent: none is needed. */
  readonly runtime?: string
  /** `linux-x64`, `win-x64`, `any`; empty: everywhere. */
  readonly platforms: readonly string[]
  readonly endpoint: McpkgEndpoint
  readonly requirements: McpkgRequirements
}

export interface McpkgRequirements {
  /** Least version by runtime: `{ node: '18.0.0' }`. */
  readonly minVersions: Readonly<Record<string, string>>
  /** `PyMuPDF>=1.23.0`. */
  readonly packages: readonly string[]
  /** Programs on PATH: `ffmpeg`, `jq>=1.6`. */
  readonly commands: readonly string[]
  /** Keys that nobody here can check. */
  readonly unknown: readonly string[]
}

/** One step of a chain. */
export interface ChainStep {
  readonly step: string
  readonly tool: string
  readonly input: Readonly<Record<string, StepInput>>
  /** Under which later steps find the output; the name of the step is its second name. */
  readonly outputKey: string
  /** A path that must select something, or the step is left out. */
  readonly when?: string
  /** Once for each value the path selects; `$.item` and `$.index` are known inside. */
  readonly forEach?: string
  /** How many of them at once. */
  readonly concurrency: number
  /** Attempts after the first. */
  readonly retry: number
  readonly timeoutMs?: number
  /** Its failure does not end the chain. */
  readonly optional: boolean
  /** May run beside the others whose outputs it does not use. */
  readonly parallel: boolean
  readonly cache?: { readonly ttlMs: number }
}

export type StepInput =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'literal'; readonly value: Json }

export interface McpkgMeta {
  readonly publisher?: McpkgPublisher
  readonly license?: string
  readonly homepage?: string
  readonly tags: readonly string[]
}

/** Also meta/publisher.json. */
export interface McpkgPublisher {
  readonly id?: string
  readonly name?: string
  readonly website?: string
  readonly contact?: string
}

/** meta/provenance.json: where a package says it was built from. */
export interface McpkgProvenance {
  readonly sourceRepo?: string
  readonly commit?: string
  readonly builtAt?: string
  readonly builtBy?: string
}
