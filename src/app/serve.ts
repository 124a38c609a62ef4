import { join } from 'node:path'
import { type CallTool, type Catalog, type Config, OrlaError } from '../model/index.ts'
import {
  createHttpClient,
  createLog,
  createWarmStarter,
  openLogSink,
  startTicks,
  terminalIsGone,
  watchDirectories,
} from '../platform/index.ts'
import { createCallTool } from '../runtime/index.ts'
import type { ServerDeps } from '../server/index.ts'
import { openAudit } from './audit/audit.ts'
import { afterwards, countCalls, logCall } from './calls.ts'
import { openCallRecorder } from './chains/recorder.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from './config.ts'
import { createConfinement } from './confinement.ts'
import { openControl } from './control.ts'
import { describeWithExample } from './describe.ts'
import { warnAboutRestart } from './fixed-settings.ts'
import { type Front, openFront } from './front.ts'
import { openPackageGate } from './grants/open.ts'
import { readHttpAccess, renewHttpAccess, tokensOf } from './http-access.ts'
import { guardHolds, guardStarts } from './integrity/guarded-starter.ts'
import { openIntegrity } from './integrity/integrity.ts'
import { createLiveCatalog, type Refreshed } from './live-catalog.ts'
import { logServing, warnAboutAccess } from './log-serving.ts'
import { openOfferedTools } from './offered-tools.ts'
import { openChooser } from './ranking/chooser.ts'
import { createReloader, type Reloader } from './reloader.ts'
import { openMeans } from './sandbox/means.ts'
import { checkPolicy } from './sandbox/policy.ts'
import { openSecrets } from './secrets.ts'
import { keepRecord } from './server-record.ts'
import { createStarters } from './starter.ts'
import { serveStatistics } from './statistics/serve.ts'
import { stopSignals } from './stop-signals.ts'
import { superviseCapsules } from './supervision.ts'
import { whereOf } from './where.ts'
import { toolEnvironment, type World, wantsColour } from './world.ts'

export interface ServeRequest extends ConfigRequest {
  readonly insecure: boolean
}

/** What a person is told once the server answers. */
export interface Serving {
  readonly url: string | null
  readonly loaded: LoadedConfig
  readonly catalog: Catalog
  readonly toolsMissing: boolean
}

/** Serves until a signal or the end of the stdio client. Resolves once nothing is left running. */
export async function serve(
  world: World,
  request: ServeRequest,
  onServing: (serving: Serving) => void = () => {},
): Promise<void> {
  let loaded = await loadConfig(world, request)
  const config = () => loaded.config
  let access = await readHttpAccess(world, loaded.config)
  const secrets = openSecrets(world, loaded, (message) => log.warn(message))
  for (const token of tokensOf(access)) secrets.remember(token)
  const sink = secrets.keptFrom(openSink(world, loaded.config))
  const log = createLog(sink, () => ({ format: config().logFormat, level: config().logLevel }))
  const audit = openAudit({
    config: loaded.config.audit,
    home: loaded.home,
    log,
    hide: secrets.hide,
    grantOf: (tool) => gate.grantOf(tool),
  })
  world.onPanic((error, kind) => log.error(`recovered from ${kind}`, describePanic(error)))

  const stop = stopSignals(world, log)
  let reloader: Reloader | undefined
  let missedHangup = false
  const releaseHangup = world.onSignal('SIGHUP', () => {
    // A closed terminal sends the same signal; a server nobody can reach any more ends with it.
    if (world.stderr.isTTY && terminalIsGone()) return stop.request('terminal closed')
    sink.reopen()
    audit?.reopen()
    missedHangup = reloader === undefined
    reloader?.reload('SIGHUP')
  })
  const calls = countCalls()
  const watched = (callTool: CallTool) => calls.count(audit?.audited(callTool) ?? callTool)
  const statistics = serveStatistics({
    home: loaded.home,
    version: world.version,
    log,
    isOn: () => config().statistics === 'on',
    catalog: () => live.current(),
    capsules: () => supervision.capsules.list(),
    front: () => front?.stats(),
  })
  const chooser = openChooser(loaded.home, () => config().ranking)
  const measurements = afterwards(logCall(log), statistics.heard, chooser.heard)
  const starters = createStarters(world, log)
  const starter = createWarmStarter(starters.starter, () => ({
    warm: config().warm,
    processes: config().limits.warmProcesses,
    memoryBytes: config().limits.warmBytes,
  }))
  const means = openMeans(starters, loaded.home)
  const { confine, enforcement } = createConfinement({
    world,
    loaded: () => loaded,
    means,
    log,
    acceptedFor: (facts) => gate.acceptedFor(facts),
  })
  const http = createHttpClient()
  let isReady = false
  const live = createLiveCatalog(log, ({ tools, documents, prompts }) => {
    if (!isReady) return
    if (tools) front?.toolsChanged()
    if (documents) front?.documentsChanged()
    if (prompts) front?.promptsChanged()
  })
  let front: Front | undefined

  const gate = openPackageGate(loaded.home, loaded.config, log, enforcement)
  const offered = openOfferedTools(loaded.home)
  const integrity = openIntegrity(loaded.home)
  const recorder = openCallRecorder({ ...loaded, mode: () => config().recordCalls, secrets, log })
  const variables = toolEnvironment(world, loaded.config)
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
    held: () => front?.held() ?? [],
    onOffer: () => reloader?.reload('capsule'),
    accepted: (capsule) => gate.accepted(capsule),
  })
  const { capsules } = supervision
  // A connection goes by the names it has listed, so they stay what they are.
  const { nameStyle, describeWithExamples, host } = loaded.config
  const deps: ServerDeps = {
    catalog: () => live.current(),
    callTool: watched(
      createCallTool({
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
        onCall: measurements.hear,
        order: chooser.order,
        observer: recorder.observer,
      }),
    ),
    ...(audit && { onRefusedCall: (call) => audit.refused(call, live.current()) }),
    log,
    version: world.version,
    nameStyle: () => nameStyle,
    ...(describeWithExamples && { describe: describeWithExample(() => live.current()) }),
    onHoldersChanged: () => supervision.holdersChanged(),
    ...(gate.consent && { consent: gate.consent }),
    metrics: statistics.metrics,
  }
  let found: Refreshed
  let ready = () => {}
  const untilReady = new Promise<void>((resolve) => {
    ready = resolve
  })
  const open = () =>
    openFront(world, deps, loaded.config, access, request.insecure, untilReady, (cause) =>
      stop.request(cause),
    )
  try {
    if (loaded.config.transport === 'stdio') {
      front = await open()
      // The scan does not let go until it is through: who has sent its greeting already is answered before.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    await checkPolicy(loaded.config.sandbox, means, log)
    found = await live.refresh(whereOf(loaded, offered, integrity))
    front ??= await open()
    isReady = true
    ready()
  } catch (error) {
    await front?.close()
    stop.release()
    sink.close()
    throw error
  }

  const control = await openControl(loaded.home, capsules, log)
  const record = keepRecord(
    loaded.home,
    {
      pid: process.pid,
      started_at: startTicks(process.pid),
      root: loaded.root,
      config: loaded.file,
      tools_dir: config().toolsDir,
      transport: config().transport,
      url: front.url,
      generation: 0,
      tools: live.current().tools.size,
      problems: live.current().problems.length,
      reload_error: null,
      control: control?.path ?? null,
    },
    log,
  )
  reloader = createReloader({
    log,
    record,
    live,
    load: async () => {
      const next = await loadConfig(world, request)
      access = await renewHttpAccess(world, next.config, { host, insecure: request.insecure })
      for (const token of tokensOf(access)) secrets.remember(token)
      return next
    },
    apply: (next) => {
      warnAboutRestart(log, loaded.config, next.config)
      front?.renew(access)
      warnAboutAccess(log, access)
      const differs = JSON.stringify(next.config) !== JSON.stringify(loaded.config)
      loaded = next
      return differs
    },
    where: (next) => whereOf(next, offered, integrity),
    refreshed: (next) => {
      watch(next)
      supervision.refreshed(next.capsules)
    },
    place: () => ({ root: loaded.root, config: loaded.file, tools_dir: config().toolsDir }),
  })
  const watcher = config().watch
    ? watchDirectories({
        onChange: () => reloader?.reload('watch'),
        onError: (error) =>
          log.warn('cannot watch for changes', { error: error.message, hint: 'use `orla reload`' }),
      })
    : undefined
  // One that is not there yet, or was deleted, may be written.
  const configFiles = new Set([join(world.cwd, 'orla.yaml')])
  const watch = ({ directories, linked }: Refreshed) => {
    if (loaded.file !== null) configFiles.add(loaded.file)
    watcher?.update([config().toolsDir, ...directories], [...configFiles, ...linked])
  }
  watch(found)
  supervision.refreshed(found.capsules)
  gate.follow(() => supervision.grantsChanged())
  if (missedHangup) reloader.reload('SIGHUP')

  logServing(log, front.url, loaded, live.current(), found.missing)
  warnAboutAccess(log, access)
  onServing({ url: front.url, loaded, catalog: live.current(), toolsMissing: found.missing })

  const keeping = setTimeout(() => live.flush(), KEEP_AFTER_MS)
  keeping.unref()

  log.info('stopping', { cause: await stop.requested, calls: calls.running() })
  watcher?.close()
  gate.close()
  control?.close()
  front.stopAccepting()
  await settled(front.idle(), config().shutdownGraceMs, stop.hurried)
  if (calls.running() > 0) log.warn('ending calls that did not finish in time', { calls: calls.running() })
  const graceMs = stop.isUrgent() ? 0 : undefined
  await Promise.all([capsules.close(graceMs), starter.close(graceMs)])
  http.close()
  // Calls that were ended have an answer too, if their clients still listen.
  await settled(front.idle(), LAST_ANSWERS_MS, NEVER)
  await front.close()
  measurements.flush()
  await recorder.close()
  releaseHangup()
  stop.release()
  record.remove()
  await statistics.close()
  log.info('stopped')
  audit?.close()
  sink.close()
}

/** For answers on their way when everything else has ended. */
const LAST_ANSWERS_MS = 500
/** What was read is kept for the next start once the first clients have their lists. */
const KEEP_AFTER_MS = 2_000
const NEVER = new Promise<void>(() => {})

function openSink(world: World, config: Config) {
  try {
    return openLogSink({
      file: config.logFile,
      stderr: world.stderr,
      colours: wantsColour(world, world.stderr),
    })
  } catch (error) {
    throw new OrlaError(
      'E_FILE',
      `cannot write the log file ${config.logFile}: ${(error as Error).message}`,
      {
        hint: 'choose another log_file, or leave it out to log to standard error',
      },
    )
  }
}

/** Whichever comes first: all is answered, the time is over, or someone does not want to wait. */
async function settled(idle: Promise<void>, graceMs: number, hurried: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([idle, over, hurried])
  clearTimeout(timer)
}

function describePanic(error: unknown) {
  return error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) }
}
