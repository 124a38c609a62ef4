import type { JsonSchema, Manifest, ManifestLimits, ManifestRuntime } from '../model/index.ts'
import { compact } from './compact.ts'
import { hiddenProblems } from './hidden-problems.ts'
import { normalInnerPath } from './inner-path.ts'
import { MANIFEST, type ManifestFile } from './manifest-shape.ts'
import { hasErrors, type PlacedProblem, type Reading } from './placed.ts'
import type { ReadYaml } from './yaml.ts'

/** A manifest is a page, not a book. */
const MAX_CHARACTERS = 262_144

export interface ManifestReading {
  /** Absent when one of the problems is an error: half a manifest could do what nobody wrote down. */
  readonly manifest?: Manifest
  readonly problems: readonly PlacedProblem[]
  /** The paths it names, as far as they could be read, so that all problems can be told at once. */
  readonly entrypoint?: string
  readonly postInstall?: string
  /** A problem that shows only beside the other files, at the place that says so. */
  readonly problemAt: Reading<unknown>['problemAt']
}

/** tool.yaml (RFC 3 §5), with every problem. Whether the entrypoint is there is for whoever sees the files. */
export function readManifest(source: string, file: string, readYaml: ReadYaml): ManifestReading {
  const reading = readYaml(source, file, MANIFEST, { maxCharacters: MAX_CHARACTERS })
  const { value, problemAt } = reading
  const problems = [
    ...encodingProblems(source, reading),
    ...reading.problems,
    ...hiddenProblems(value, problemAt),
    ...idleKeys(value, problemAt),
  ]
  return compact<ManifestReading>({
    manifest: value === undefined || hasErrors(problems) ? undefined : toManifest(value),
    problems,
    entrypoint: value?.entrypoint === undefined ? undefined : normalInnerPath(value.entrypoint),
    postInstall: value?.hooks?.post_install,
    problemAt,
  })
}

/** What an editor did to the file that nobody sees. */
export function encodingProblems(source: string, { problemAt }: Reading<unknown>): PlacedProblem[] {
  const problems: PlacedProblem[] = []
  if (source.startsWith('\uFEFF')) {
    const message = 'begins with an invisible byte order mark'
    problems.push(problemAt([], { message, hint: 'save it as UTF-8 without BOM', severity: 'warning' }))
  }
  const broken = source.indexOf('\uFFFD')
  if (broken >= 0) {
    const before = source.slice(0, broken).split('\n')
    const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
    const message = 'has bytes that are not UTF-8'
    problems.push({ ...problemAt([], { message, hint: 'save it as UTF-8' }), ...place })
  }
  return problems
}

const CAPSULE_KEYS = [
  'startup_timeout_ms',
  'hot_load',
  'handshake',
  'start',
  'health',
  'idle_timeout_ms',
  'max_concurrency',
  'restart',
] as const

/** Keys that have no effect because the tool is no capsule. */
function idleKeys(
  value: ManifestFile | undefined,
  problemAt: Reading<unknown>['problemAt'],
): PlacedProblem[] {
  const runtime = value?.runtime
  if (runtime === undefined || modeOf(runtime) === 'capsule') return []
  return CAPSULE_KEYS.filter((key) => runtime[key] !== undefined).map((key) =>
    problemAt(['runtime', key], {
      message: 'has an effect on capsules only',
      hint: 'add mode: capsule, or leave it out',
      severity: 'warning',
    }),
  )
}

/** The model of a manifest that was read without errors. */
export function toManifest(file: ManifestFile): Manifest {
  const { author, license, repository, homepage, language, mcp, hooks } = file
  return compact<Manifest>({
    name: file.name,
    version: file.version,
    description: file.description.trim(),
    entrypoint: normalInnerPath(file.entrypoint),
    author,
    license,
    repository,
    homepage,
    language,
    keywords: file.keywords ?? [],
    capabilities: file.capabilities ?? [],
    dependencies: file.dependencies ?? [],
    permissions: file.permissions ?? null,
    mcp: compact<Manifest['mcp']>({
      title: mcp?.title,
      icons: mcp?.icons,
      annotations: mcp?.annotations && { ...mcp.annotations },
      meta: mcp?._meta,
      inputSchema: mcp?.input_schema,
      outputSchema: mcp?.output_schema,
    }),
    runtime: toRuntime(file.runtime ?? {}),
    limits: toLimits(file.limits ?? {}),
    hooks: compact<Manifest['hooks']>({
      postInstall: hooks?.post_install === undefined ? undefined : normalInnerPath(hooks.post_install),
    }),
  })
}

type RuntimeFile = NonNullable<ManifestFile['runtime']>
type Health = NonNullable<ManifestRuntime['health']>
type Restart = NonNullable<ManifestRuntime['restart']>

const DEFAULT_DEBOUNCE_MS = 100

function toRuntime(file: RuntimeFile): ManifestRuntime {
  const { hot_load, health, restart } = file
  return compact<ManifestRuntime>({
    mode: modeOf(file),
    env: file.env ?? {},
    args: file.args ?? [],
    timeoutMs: file.timeout,
    startupTimeoutMs: file.startup_timeout_ms,
    hotLoad: hot_load && {
      watch: (hot_load.watch ?? ['.']).map(normalInnerPath),
      debounceMs: hot_load.debounce_ms ?? DEFAULT_DEBOUNCE_MS,
    },
    handshake: file.handshake,
    start: file.start,
    health:
      health &&
      compact<Health>({
        intervalMs: health.interval_ms,
        timeoutMs: health.timeout_ms,
      }),
    idleTimeoutMs: file.idle_timeout_ms,
    maxConcurrency: file.max_concurrency,
    restart:
      restart &&
      compact<Restart>({
        baseMs: restart.base_ms,
        capMs: restart.cap_ms,
        limit: restart.limit,
        windowMs: restart.window_ms,
      }),
  })
}

/** An explicit mode decides. Without one, what only a capsule can have makes a capsule. */
function modeOf(runtime: RuntimeFile): 'simple' | 'capsule' {
  const isCapsule = runtime.startup_timeout_ms !== undefined || runtime.hot_load !== undefined
  return runtime.mode ?? (isCapsule ? 'capsule' : 'simple')
}

function toLimits(file: NonNullable<ManifestFile['limits']>): ManifestLimits {
  return compact<ManifestLimits>({
    timeoutMs: file.timeout,
    cpuMs: file.cpu,
    memoryBytes: file.memory,
    processes: file.processes,
    fileBytes: file.file_size,
    outputBytes: file.output,
  })
}

/** For editors: completion and checking while tool.yaml is written. */
export function manifestJsonSchema(): JsonSchema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'tool.yaml', ...MANIFEST.schema() }
}
