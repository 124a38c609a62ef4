import type { Catalog, Config } from '../model/index.ts'
import { createLog, startTicks, terminalIsGone } from '../platform/index.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from './config.ts'
import { warnAboutRestart } from './fixed-settings.ts'
import { type Front, openFront } from './front.ts'
import { readHttpAccess, renewHttpAccess, tokensOf } from './http-access.ts'
import { openIntegrity } from './integrity/integrity.ts'
import { createLiveCatalog, type Refreshed } from './live-catalog.ts'
import { logPanics, logServing, warnAboutAccess } from './log-serving.ts'
import { logSinkOf } from './log-sink.ts'
import { openOfferedTools } from './offered-tools.ts'
import { createReadiness } from './readiness.ts'
import { createReloader, type Reloader } from './reloader.ts'
import { openSecrets } from './secrets.ts'
import type { ServedCalls } from './served-calls.ts'
import { serverDeps } from './server-deps.ts'
import { stopSignals } from './stop-signals.ts'
import { watchProject } from './watch-project.ts'
import { whereOf } from './where.ts'
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
  let calls: ServedCalls | undefined
  // What is logged about something later than a call stands behind the record of the call.
  const write = (lines: string) => {
    calls?.calling.tell()
    sink.write(lines)
  }
  const log = createLog({ write, colours: sink.colours }, logSettings)
  logPanics(world, log)

  const stop = stopSignals(world, log)
  let reloader: Reloader | undefined
  let missed: string | undefined
  /** What asks for it before there is a catalog to replace is heard afterwards. */
  const reload = (trigger: string) => {
    if (reloader) reloader.reload(trigger)
    else missed = trigger
  }
  const releaseHangup = world.onSignal('SIGHUP', () => {
    // A closed terminal sends the same signal; a server nobody can reach any more ends with it.
    if (world.stderr.isTTY && terminalIsGone()) return stop.request('terminal closed')
    sink.reopen()
    calls?.audit?.reopen()
    reload('SIGHUP')
  })
  let front: Front | undefined
  let isReady = false
  const live = createLiveCatalog(log, ({ tools, documents, prompts }) => {
    if (!isReady) return
    if (tools) front?.toolsChanged()
    if (documents) front?.documentsChanged()
    if (prompts) front?.promptsChanged()
  })
  const offered = openOfferedTools(loaded.home)
  const integrity = openIntegrity(loaded.home, { log })
  const where = (next: LoadedConfig) => whereOf(next, offered, integrity)
  const openCalls = async (): Promise<ServedCalls> => {
    if (calls) return calls
    const { checkPolicy, openServedCalls } = await import('./after-listing.ts')
    calls = openServedCalls({
      world,
      loaded: () => loaded,
      log,
      sink,
      logSettings,
      secrets,
      offered,
      integrity,
      catalog: () => live.current(),
      front: () => front,
      onOffer: () => reload('capsule'),
    })
    await checkPolicy(loaded.config.sandbox, calls.calling.means, log)
    return calls
  }
  const readiness = createReadiness()
  const open = () => {
    const deps = serverDeps({ world, config: loaded.config, log, live, calls: () => calls })
    return openFront(world, deps, loaded.config, access, request.insecure, readiness, (cause) =>
      stop.request(cause),
    )
  }
  const { host } = loaded.config
  const watch = watchProject({ world, loaded: () => loaded, log, onChange: () => reload('watch') })
  let found: Refreshed
  let served: ServedCalls
  try {
    if (!listsFirst(loaded.config)) await openCalls()
    if (loaded.config.transport === 'stdio') {
      front = await open()
      // The scan does not let go until it is through: who has sent its greeting already is answered before.
      await turns()
    }
    found = await live.refresh(where(loaded))
    front ??= await open()
    isReady = true
    readiness.canList()
    await turns()
    watch.follow(found)
    // Loading the rest would keep a client from the list it asks for first.
    if (!calls) await Promise.race([front.looked, stop.requested, pause(FIRST_LOOK_MS)])
    served = await openCalls()
    readiness.canCall()
  } catch (error) {
    watch.close()
    await front?.close()
    stop.release()
    sink.close()
    throw error
  }

  const { keepRecord, openControl, stopServing, watchClient } = await import('./after-listing.ts')
  const { calling, statistics } = served
  const { gate, supervision } = calling
  const { capsules } = supervision
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
    where,
    refreshed: (next) => {
      watch.follow(next)
      integrity.refreshed(live.current())
      supervision.refreshed(next.capsules)
    },
    place: () => ({ root: loaded.root, config: loaded.file, tools_dir: config().toolsDir }),
  })
  supervision.refreshed(found.capsules)
  gate.follow(() => supervision.grantsChanged())
  if (missed !== undefined) reloader.reload(missed)

  logServing(log, front.url, loaded, live.current(), found.missing)
  warnAboutAccess(log, access)
  onServing({ url: front.url, loaded, catalog: live.current(), toolsMissing: found.missing })

  const keeping = setTimeout(() => live.flush(), KEEP_AFTER_MS)
  keeping.unref()

  const cause = await stop.requested
  log.info('stopping', { cause, calls: calling.running() })
  const client =
    cause === 'end of input' && calling.running() > 0
      ? watchClient(world, () => stop.request('client disconnected'))
      : undefined
  await stopServing({
    log,
    stop,
    calling,
    front,
    graceMs: config().shutdownGraceMs,
    beginnings: [watch, gate, control],
  })
  client?.close()
  // A client that stays for a moment only has its next server start as quickly as others.
  if (!stop.isUrgent()) live.flush()
  releaseHangup()
  stop.release()
  record.remove()
  await statistics.close()
  log.info('stopped')
  served.audit?.close()
  sink.close()
}

/** What was read is kept for the next start once the first clients have their lists. */
const KEEP_AFTER_MS = 2_000

/** How long a stdio client has to ask for the tools before everything else is loaded too. */
const FIRST_LOOK_MS = 100

/** Whether nothing about calls can forbid to serve at all. */
function listsFirst({ transport, sandbox, audit }: Config): boolean {
  return transport === 'stdio' && sandbox.mode !== 'require' && audit.file === null
}

/** Lets what has come in be answered. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
