import type { AuthConfig, Config, Json, JsonSchema } from '../model/index.ts'
import { LOG_LEVELS } from '../model/index.ts'
import { DEFAULT_REGISTRY, REGISTRIES, VERSIONS } from './package-settings.ts'
import { SANDBOX } from './sandbox-settings.ts'
import { AUDIT, AUTH, CLIENT_LIMITS, HOSTS, TLS } from './server-settings.ts'
import {
  bool,
  duration,
  integer,
  object,
  oneOf,
  path,
  type Shape,
  size,
  text,
  type ValueOf,
} from './shape.ts'

/** orla.yaml and ~/.orla/config.yaml. The five keys of RFC 1 come first. */
export const CONFIG = object('Settings of Orla', {
  tools_dir: path('Folder whose executables are tools'),
  port: integer('Port of the HTTP server; 0 picks a free one', { min: 0, max: 65_535 }),
  timeout: duration('Time a call may take, in seconds or as 30s, 500ms'),
  log_format: oneOf('How log records are written', ['json', 'pretty']),
  log_level: oneOf('Least level that is logged', LOG_LEVELS),
  log_file: path('File for the log instead of standard error'),
  host: text('Address the HTTP server listens on'),
  transport: oneOf('How clients connect', ['http', 'stdio']),
  watch: bool('Reload when tools or configuration change'),
  warm: oneOf('Start interpreters of Python and Node scripts ahead of their calls', ['auto', 'off']),
  shutdown_grace: duration('Time calls in flight get when the server stops'),
  name_style: oneOf('Tool names as they are, or with dots as underscores for clients that refuse dots', [
    'raw',
    'safe',
  ]),
  registries: REGISTRIES,
  versions: VERSIONS,
  global_tools: bool('Serve the packages of ~/.orla/tools beside those of the project'),
  update_notice: bool('Say once a day when installed packages have newer versions'),
  test_on_install: oneOf(
    'Tests of a package before it is installed: those that can run here, at least one that passes, or none',
    ['auto', 'require', 'off'],
  ),
  signatures: oneOf('Packages that are not signed, or by an unknown key: taken, told, or refused', [
    'off',
    'warn',
    'require',
  ]),
  describe_with_examples: bool('Add the first example of a package to what models read about its tool'),
  statistics: oneOf('Count calls and tests of tools on this machine, for `orla stats`', ['on', 'off']),
  ranking: object('Which of several implementations of a tool is tried first', {
    choose: oneOf('By what is known from calls on this machine, or as the package orders them', [
      'on',
      'off',
    ]),
    explore: integer('Calls of a hundred that may try one of which little is known', { min: 0, max: 100 }),
    cool_down: duration('Time one that fails again and again is not tried first; doubled each time'),
  }),
  record_calls: oneOf(
    'Keep what calls are given and give, for `orla chain suggest`: nothing, as hashes, or with values',
    ['off', 'hashed', 'full'],
  ),
  capsules: object('Tools whose process stays', {
    restart: object('After a crash, unless the package says otherwise', {
      base_ms: integer('First pause, in milliseconds', { min: 1, max: 86_400_000 }),
      cap_ms: integer('Longest pause, in milliseconds', { min: 1, max: 86_400_000 }),
      limit: integer('Crashes within the window after which it stays stopped', { min: 1, max: 10_000 }),
      window_ms: integer('Window in which crashes are counted, in milliseconds', {
        min: 1,
        max: 86_400_000,
      }),
    }),
  }),
  sandbox: SANDBOX,
  auth: AUTH,
  tls: TLS,
  hosts: HOSTS,
  audit: AUDIT,
  limits: object('Bounds', {
    concurrency: integer('Calls running at once; more wait', { min: 1, max: 10_000 }),
    output: size('Bytes a tool may print before it is ended'),
    tool: object('Of every tool, whatever it says itself', {
      timeout: duration('Time a call may take at most'),
      cpu: duration('Processor time of each process of a tool'),
      memory: size('Memory for the data of each process of a tool'),
      processes: integer('Processes of a tool at once', { min: 1, max: 1_000_000 }),
      file_size: size('Largest file a tool may write'),
    }),
    body: size('Bytes of one HTTP request'),
    sessions: integer('Sessions of 2025-era HTTP clients', { min: 1, max: 1_000_000 }),
    session_idle: duration('Time after which an idle session ends'),
    connections: integer('HTTP connections served at once; more wait', { min: 1, max: 100_000 }),
    clients: CLIENT_LIMITS,
    warm_processes: integer('Interpreters started ahead, at most', { min: 0, max: 1_000 }),
    warm_memory: size('Memory that interpreters started ahead may take together'),
  }),
})

export type ConfigFile = ValueOf<typeof CONFIG>

const DEFAULTS: Readonly<Record<string, Json>> = {
  tools_dir: './tools',
  port: 8080,
  timeout: 30_000,
  log_format: 'json',
  log_level: 'info',
  log_file: null,
  host: '127.0.0.1',
  transport: 'http',
  watch: true,
  warm: 'auto',
  shutdown_grace: 10_000,
  name_style: 'raw',
  registries: [DEFAULT_REGISTRY],
  versions: {},
  global_tools: true,
  update_notice: true,
  test_on_install: 'auto',
  signatures: 'warn',
  describe_with_examples: false,
  statistics: 'on',
  'ranking.choose': 'on',
  'ranking.explore': 2,
  'ranking.cool_down': 30_000,
  record_calls: 'off',
  'capsules.restart.base_ms': 200,
  'capsules.restart.cap_ms': 10_000,
  'capsules.restart.limit': 5,
  'capsules.restart.window_ms': 60_000,
  'sandbox.mode': 'auto',
  'sandbox.loose': false,
  'sandbox.tier': 'auto',
  'auth.token': null,
  hosts: [],
  'audit.arguments': 'hash',
  'audit.required': false,
  'limits.concurrency': 16,
  'limits.output': 10 * 1_048_576,
  'limits.body': 4 * 1_048_576,
  'limits.sessions': 10_000,
  'limits.session_idle': 30 * 60_000,
  'limits.connections': 256,
  'limits.warm_processes': 4,
  'limits.warm_memory': 256 * 1_048_576,
}

/** One setting: its dotted key, the variable and flag that also set it, and how it is read. */
export interface Setting {
  readonly key: string
  readonly env: string
  readonly shape: Shape<unknown>
  readonly fallback: Json
  readonly secret: boolean
  /**
   * Of a setting that holds packages back, from lax to strict. A project may come from anyone: its file makes it
   * stricter than the user's own says, never laxer.
   */
  readonly strictness?: readonly unknown[]
}

const STRICTNESS: Readonly<Record<string, readonly unknown[]>> = {
  signatures: ['off', 'warn', 'require'],
  'sandbox.mode': ['off', 'auto', 'require'],
  'sandbox.loose': [false, true],
}

/** Written as one word in a file, and so in the environment. */
const SHORT_NAMES: Readonly<Record<string, string>> = { 'sandbox.mode': 'ORLA_SANDBOX' }
const SECRETS: ReadonlySet<string> = new Set(['auth.token', 'auth.tokens'])

/** Every setting once, in the order people meet them. */
export const SETTINGS: readonly Setting[] = leavesOf(CONFIG.fields, '')

function leavesOf(fields: Readonly<Record<string, Shape<unknown>>>, prefix: string): Setting[] {
  return Object.entries(fields).flatMap(([name, shape]) => {
    const key = prefix + name
    if (shape.fields) return leavesOf(shape.fields, `${key}.`)
    const env = SHORT_NAMES[key] ?? `ORLA_${key.replace(/\./g, '_').toUpperCase()}`
    const strictness = STRICTNESS[key]
    const secret = SECRETS.has(key)
    return [{ key, env, shape, fallback: DEFAULTS[key] ?? null, secret, ...(strictness && { strictness }) }]
  })
}

/** The typed whole, from values by dotted key. */
export function toConfig(values: ReadonlyMap<string, unknown>): Config {
  const at = <T>(key: string): T => values.get(key) as T // each value was read by the shape of its key
  return {
    toolsDir: at('tools_dir'),
    port: at('port'),
    host: at('host'),
    transport: at('transport'),
    timeoutMs: at('timeout'),
    logFormat: at('log_format'),
    logLevel: at('log_level'),
    logFile: at('log_file'),
    watch: at('watch'),
    warm: at('warm'),
    shutdownGraceMs: at('shutdown_grace'),
    nameStyle: at('name_style'),
    token: at('auth.token'),
    auth: {
      tokens: at<AuthConfig['tokens'] | null>('auth.tokens') ?? [],
      issuer: at('auth.issuer'),
      audience: at('auth.audience'),
      resource: at('auth.resource'),
      scopes: at('auth.scopes'),
    },
    tls: { cert: at('tls.cert'), key: at('tls.key') },
    hosts: at('hosts'),
    audit: { file: at('audit.file'), arguments: at('audit.arguments'), required: at('audit.required') },
    registries: at('registries'),
    versions: at('versions'),
    globalTools: at('global_tools'),
    updateNotice: at('update_notice'),
    testOnInstall: at('test_on_install'),
    signatures: at('signatures'),
    describeWithExamples: at('describe_with_examples'),
    sandbox: { mode: at('sandbox.mode'), loose: at('sandbox.loose'), tier: at('sandbox.tier') },
    toolLimits: {
      timeoutMs: at('limits.tool.timeout'),
      cpuMs: at('limits.tool.cpu'),
      memoryBytes: at('limits.tool.memory'),
      processes: at('limits.tool.processes'),
      fileBytes: at('limits.tool.file_size'),
    },
    statistics: at('statistics'),
    ranking: {
      choose: at('ranking.choose'),
      explore: at('ranking.explore'),
      coolDownMs: at('ranking.cool_down'),
    },
    recordCalls: at('record_calls'),
    capsules: {
      restart: {
        baseMs: at('capsules.restart.base_ms'),
        capMs: at('capsules.restart.cap_ms'),
        limit: at('capsules.restart.limit'),
        windowMs: at('capsules.restart.window_ms'),
      },
    },
    limits: {
      concurrency: at('limits.concurrency'),
      outputBytes: at('limits.output'),
      bodyBytes: at('limits.body'),
      sessions: at('limits.sessions'),
      sessionIdleMs: at('limits.session_idle'),
      connections: at('limits.connections'),
      clients: { rate: at('limits.clients.rate'), concurrency: at('limits.clients.concurrency') },
      warmProcesses: at('limits.warm_processes'),
      warmBytes: at('limits.warm_memory'),
    },
  }
}

/** For editors: completion and checking while orla.yaml is written. */
export function configJsonSchema(): JsonSchema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'orla.yaml', ...CONFIG.schema() }
}
