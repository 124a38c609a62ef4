import type { LogLevel } from './log.ts'
import type { Registry } from './package.ts'
import type { SignaturePolicy } from './signature.ts'
import type { RestartPolicy } from './tool.ts'

/** Every setting, complete: flags, environment, files and defaults laid over each other. */
export interface Config {
  readonly toolsDir: string
  readonly port: number
  readonly host: string
  readonly transport: 'http' | 'stdio'
  readonly timeoutMs: number
  readonly logFormat: 'json' | 'pretty'
  readonly logLevel: LogLevel
  readonly logFile: string | null
  readonly watch: boolean
  /** Whether Python and Node scripts find their interpreter started ahead. */
  readonly warm: 'auto' | 'off'
  readonly shutdownGraceMs: number
  readonly nameStyle: 'raw' | 'safe'
  readonly token: string | null
  readonly auth: AuthConfig
  /** Files of the certificate and its key; null: plain HTTP. */
  readonly tls: { readonly cert: string | null; readonly key: string | null }
  /** Names besides its own that the HTTP server answers to. */
  readonly hosts: readonly string[]
  readonly audit: AuditConfig
  readonly limits: Limits
  /** Where package names are looked up, in this order. */
  readonly registries: readonly Registry[]
  /** The version that serves, by package, where it is not the newest. */
  readonly versions: Readonly<Record<string, string>>
  /** Serve the packages installed for the user beside those of the project. */
  readonly globalTools: boolean
  readonly updateNotice: boolean
  readonly signatures: SignaturePolicy
  /** Which of the tests of a package decide whether it is installed. */
  readonly testOnInstall: 'auto' | 'require' | 'off'
  /** Models are told the first example of a package with its description. */
  readonly describeWithExamples: boolean
  readonly sandbox: SandboxSettings
  readonly toolLimits: ToolLimits
  /** Whether calls and tests are counted. */
  readonly statistics: 'on' | 'off'
  /** How one of several implementations is chosen at a call. */
  readonly ranking: {
    readonly choose: 'on' | 'off'
    /** Of a hundred calls, how many may try one of which little is known. */
    readonly explore: number
    readonly coolDownMs: number
  }
  /** What is kept of calls for `orla chain suggest`: nothing, hashes of values, or values. */
  readonly recordCalls: 'off' | 'hashed' | 'full'
  /** For capsules that say nothing of their own. */
  readonly capsules: { readonly restart: RestartPolicy }
}

export interface SandboxSettings {
  /** `require` refuses what cannot be held, `off` holds nothing. */
  readonly mode: 'auto' | 'require' | 'off'
  /** The operator's own tools are held as well. */
  readonly loose: boolean
  /** Which of the host's means is used; the strongest unless told. */
  readonly tier: 'auto' | 'bwrap' | 'landlock' | 'seatbelt'
}

/** Bounds of every tool, whatever it says itself; null for none. */
export interface ToolLimits {
  readonly timeoutMs: number | null
  readonly cpuMs: number | null
  readonly memoryBytes: number | null
  readonly processes: number | null
  readonly fileBytes: number | null
}

/** Who may call, besides the one token for everything. */
export interface AuthConfig {
  readonly tokens: readonly TokenConfig[]
  readonly issuer: string | null
  readonly audience: string | null
  /** The URL under which clients know this server, where it is not the one it listens on. */
  readonly resource: string | null
  /** The tools that each scope opens; null: every token of the issuer opens all. */
  readonly scopes: Readonly<Record<string, readonly string[]>> | null
}

/** A token for one client: written here, in a file, or in a variable. */
export interface TokenConfig {
  readonly name: string
  readonly token?: string
  readonly token_file?: string
  readonly env?: string
  /** Patterns of tool names; absent: all tools. */
  readonly tools?: readonly string[]
}

export interface AuditConfig {
  readonly file: string | null
  readonly arguments: 'hash' | 'full'
  /** Calls that could not be recorded are refused. */
  readonly required: boolean
}

export interface Limits {
  /** Calls running at once; more wait their turn. */
  readonly concurrency: number
  /** Bytes a tool may print before it is ended. */
  readonly outputBytes: number
  /** Bytes of one HTTP request body. */
  readonly bodyBytes: number
  readonly sessions: number
  readonly sessionIdleMs: number
  /** Connections being served at once; more wait. Standing event streams do not count. */
  readonly connections: number
  /** Of one HTTP client: requests a second, and calls running at once; null: no limit. */
  readonly clients: { readonly rate: number | null; readonly concurrency: number | null }
  /** Interpreters that may wait for a call, and the memory they may take together. */
  readonly warmProcesses: number
  readonly warmBytes: number
}

/** What a running server writes down so that `orla reload` can find it. */
export interface ServerRecord {
  readonly pid: number
  /** Start of the process as the kernel counts it; null where the host does not tell. */
  readonly started_at: string | null
  readonly root: string
  readonly config: string | null
  readonly tools_dir: string
  readonly transport: 'http' | 'stdio'
  readonly url: string | null
  /** Grows with every reload, done or failed. */
  readonly generation: number
  readonly tools: number
  readonly problems: number
  readonly reload_error: string | null
  /** Where it takes commands; null when it could not open one. */
  readonly control: string | null
}
