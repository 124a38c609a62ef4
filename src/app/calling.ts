import type { CallTool, Catalog, Log } from '../model/index.ts'
import { createHttpClient, createWarmStarter } from '../platform/index.ts'
import { createCallTool } from '../runtime/index.ts'
import { afterwards, countCalls, type OnCalls } from './calls.ts'
import { openCallRecorder } from './chains/recorder.ts'
import type { LoadedConfig } from './config.ts'
import { createConfinement } from './confinement.ts'
import { openPackageGate, type PackageGate } from './grants/open.ts'
import { guardHolds, guardStarts } from './integrity/guarded-starter.ts'
import type { Integrity } from './integrity/integrity.ts'
import { errorFields } from './log-serving.ts'
import type { OfferedTools } from './offered-tools.ts'
import { openChooser } from './ranking/chooser.ts'
import { type Means, openMeans } from './sandbox/means.ts'
import type { Secrets } from './secrets.ts'
import { createStarters } from './starter.ts'
import { type Supervision, superviseCapsules } from './supervision.ts'
import { toolEnvironment, type World } from './world.ts'

interface Deps {
  readonly world: World
  /** Read at each call: a reload may change it. */
  readonly loaded: () => LoadedConfig
  readonly log: Log
  readonly secrets: Secrets
  /** The same that the catalog is read with. */
  readonly offered: OfferedTools
  readonly integrity: Integrity
  /** Whatever else goes around every call. */
  readonly around: (callTool: CallTool) => CallTool
  readonly onCalls: OnCalls
  /** Catalogs older than the newest that connections still hold. */
  readonly held: () => readonly Catalog[]
  /** An MCP server in a capsule offers other tools than before. */
  readonly onOffer: () => void
}

/** What a server carries out calls with: starters, sandbox, capsules, and who says what may run. */
export interface Calling {
  readonly callTool: CallTool
  readonly gate: PackageGate
  readonly means: Means
  readonly supervision: Supervision
  /** How many calls have no answer yet. */
  running(): number
  /** Ends what was started; `graceMs` is the time it gets, where that is not its own. */
  end(graceMs?: number): Promise<void>
  /** Everything heard of calls is told: for who wants to know it now. */
  readonly tell: () => void
  /** The same, and kept. */
  settle(): Promise<void>
}

export function openCalling(deps: Deps): Calling {
  const { world, loaded, log, secrets, offered, integrity, around, onCalls, held, onOffer } = deps
  const config = () => loaded().config
  const { home, root } = loaded()
  const calls = countCalls()
  const chooser = openChooser(home, () => config().ranking)
  const measurements = afterwards(onCalls, (error) =>
    log.error('a call could not be told of', errorFields(error)),
  )
  const starters = createStarters(world, log)
  const starter = createWarmStarter(starters.starter, () => ({
    warm: config().warm,
    processes: config().limits.warmProcesses,
    memoryBytes: config().limits.warmBytes,
  }))
  const means = openMeans(starters, home)
  const { confine, enforcement } = createConfinement({
    world,
    loaded,
    means,
    log,
    acceptedFor: (facts) => gate.acceptedFor(facts),
  })
  const http = createHttpClient()
  const gate = openPackageGate(home, config(), log, enforcement)
  const recorder = openCallRecorder({ home, root, mode: () => config().recordCalls, secrets, log })
  const variables = toolEnvironment(world, config())
  const environment = () => variables
  const supervision = superviseCapsules({
    log,
    starter: guardStarts(starter, integrity.differenceIn),
    confine: guardHolds(confine, integrity.differenceIn),
    environment,
    secret: secrets.of,
    config,
    offered,
    version: world.version,
    held,
    onOffer,
    accepted: (capsule) => gate.accepted(capsule),
  })
  const { capsules } = supervision
  const callTool = createCallTool({
    starter,
    confine,
    capsules,
    http,
    secret: secrets.of,
    settings: () => ({
      timeoutMs: config().timeoutMs,
      concurrency: config().limits.concurrency,
      outputBytes: config().limits.outputBytes,
      mostMs: config().toolLimits.timeoutMs,
    }),
    environment,
    check: integrity,
    admit: gate.admit,
    onCall(measurement) {
      // What comes of a call may decide how the next one is carried out.
      chooser.heard(measurement)
      measurements.hear(measurement)
    },
    order: chooser.order,
    observer: recorder.observer,
    aroundStep: around,
  })
  return {
    callTool: calls.count(around(callTool)),
    gate,
    means,
    supervision,
    running: () => calls.running(),
    async end(graceMs) {
      await Promise.all([capsules.close(graceMs), starter.close(graceMs)])
      http.close()
    },
    tell: measurements.flush,
    async settle() {
      measurements.flush()
      await recorder.close()
    },
  }
}
