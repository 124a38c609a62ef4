import type { LogLevel } from './log.ts'
import type { Registry } from './package.ts'
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
  readonly limits: Limits
  /** Where package names are looked up, in this order. */
  readonly registries: readonly Registry[]
  /** The version that serves, by package, where it is not the newest. */
  readonly versions: Readonly<Record<string, string>>
  /** Serve the packages installed for the user beside those of the project. */
  readonly globalTools: boolean
  readonly updateNotice: boolean
  /** Which of the tests of a package decide whether it is installed. */
  readonly testOnInstall: 'auto' | 'require' | 'off'
  /** Models are told the first example of a package with its description. */
  readonly describeWithExamples: boolean
  readonly sandbox: SandboxSettings
  readonly toolLimits: ToolLimits
  /** For capsules that say nothing of their own. */
  readonly capsules: { readonly restart: RestartPolicy }
}

export interface SandboxSettings {
  /** `require` refuses what cannot be held, `off` holds nothing. */
  readonly mode: 'auto' | 'require' | 'off'
  /** The operator's own tools are held as well. */
  readonly loose: boolean
  /** Which of the host's means is used; the strongest unless told. */
  readonly tier: 'auto' | 'bwrap' | 'landlock'
}

/** Bounds of every tool, whatever it says itself; null for none. */
export interface ToolLimits {
  readonly timeoutMs: number | null
  readonly cpuMs: number | null
  readonly memoryBytes: number | null
  readonly processes: number | null
  readonly fileBytes: number | null
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
