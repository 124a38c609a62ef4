import type { Catalog } from '../model/index.ts'
import { createLog, startTicks, terminalIsGone } from '../platform/index.ts'
import type { ServerDeps } from '../server/index.ts'
import { openAudit } from './audit/audit.ts'
import { createCallLog } from './call-log.ts'
import { openCalling } from './calling.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from './config.ts'
import { openControl } from './control.ts'
import { describeWithExample } from './describe.ts'
import { warnAboutRestart } from './fixed-settings.ts'
import { type Front, openFront } from './front.ts'
import { readHttpAccess, renewHttpAccess, tokensOf } from './http-access.ts'
import { createLiveCatalog, type Refreshed } from './live-catalog.ts'
import { logPanics, logServing, warnAboutAccess } from './log-serving.ts'
import { logSinkOf } from './log-sink.ts'
import { createReloader, type Reloader } from './reloader.ts'
import { checkPolicy } from './sandbox/policy.ts'
import { openSecrets } from './secrets.ts'
import { keepRecord } from './server-record.ts'
import { serveStatistics } from './statistics/serve.ts'
import { stopServing } from './stop-serving.ts'
import { stopSignals } from './stop-signals.ts'
import { watchProject } from './watch-project.ts'
import type { World } from './world.ts'

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
  const sink = secrets.keptFrom(logSinkOf(world, loaded.config))
  const logSettings = () => ({ format: config().logFormat, level: config().logLevel })
  const log = createLog(sink, logSettings)
  const logCall = createCallLog(sink, logSettings)
  const audit = openAudit({
    config: loaded.config.audit,
    home: loaded.home,
    log,
    hide: secrets.hide,
    grantOf: (tool) => calling.gate.grantOf(tool),
  })
  logPanics(world, log)

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
  const statistics = serveStatistics({
    home: loaded.home,
    version: world.version,
    log,
    isOn: () => config().statistics === 'on',
    catalog: () => live.current(),
    capsules: () => capsules.list(),
    front: () => front?.stats(),
  })
  let isReady = false
  const live = createLiveCatalog(log, ({ tools, documents, prompts }) => {
    if (!isReady) return
    if (tools) front?.toolsChanged()
    if (documents) front?.documentsChanged()
    if (prompts) front?.promptsChanged()
  })
  let front: Front | undefined
  const calling = openCalling({
    world,
    loaded: () => loaded,
    log,
    secrets,
    around: (callTool) => audit?.audited(callTool) ?? callTool,
    onCall(measurement, at) {
      logCall(measurement, at)
      statistics.heard(measurement, at)
    },
    held: () => front?.held() ?? [],
    onOffer: () => reloader?.reload('capsule'),
  })
  const { gate, supervision } = calling
  const { capsules } = supervision
  // A connection goes by the names it has listed, so they stay what they are.
  const { nameStyle, describeWithExamples, host } = loaded.config
  const deps: ServerDeps = {
    catalog: () => live.current(),
    callTool: calling.callTool,
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
    await checkPolicy(loaded.config.sandbox, calling.means, log)
    found = await live.refresh(calling.where(loaded))
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
    where: calling.where,
    refreshed: (next) => {
      watch.follow(next)
      supervision.refreshed(next.capsules)
    },
    place: () => ({ root: loaded.root, config: loaded.file, tools_dir: config().toolsDir }),
  })
  const onChange = () => reloader?.reload('watch')
  const watch = watchProject({ world, loaded: () => loaded, log, onChange })
  watch.follow(found)
  supervision.refreshed(found.capsules)
  gate.follow(() => supervision.grantsChanged())
  if (missedHangup) reloader.reload('SIGHUP')

  logServing(log, front.url, loaded, live.current(), found.missing)
  warnAboutAccess(log, access)
  onServing({ url: front.url, loaded, catalog: live.current(), toolsMissing: found.missing })

  const keeping = setTimeout(() => live.flush(), KEEP_AFTER_MS)
  keeping.unref()

  log.info('stopping', { cause: await stop.requested, calls: calling.running() })
  await stopServing({
    log,
    stop,
    calling,
    front,
    graceMs: config().shutdownGraceMs,
    beginnings: [watch, gate, control],
  })
  // A client that stays for a moment only has its next server start as quickly as others.
  if (!stop.isUrgent()) live.flush()
  releaseHangup()
  stop.release()
  record.remove()
  await statistics.close()
  log.info('stopped')
  audit?.close()
  sink.close()
}

/** What was read is kept for the next start once the first clients have their lists. */
const KEEP_AFTER_MS = 2_000
