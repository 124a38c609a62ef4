import { type Catalog, type Config, type Log, OrlaError } from '../model/index.ts'
import {
  createLog,
  createNodeStarter,
  openLogSink,
  startTicks,
  terminalIsGone,
  watchDirectories,
} from '../platform/index.ts'
import { createCallTool } from '../runtime/index.ts'
import { listenHttp, type ServerDeps, serveStdio } from '../server/index.ts'
import { countCalls, logCall } from './calls.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from './config.ts'
import { createLiveCatalog, type Refreshed } from './live-catalog.ts'
import { createReloader } from './reloader.ts'
import { keepRecord } from './server-record.ts'
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

interface Front {
  readonly url: string | null
  toolsChanged(): void
  stopAccepting(): void
  idle(): Promise<void>
  close(): Promise<void>
}

/** Serves until a signal or the end of the stdio client. Resolves once nothing is left running. */
export async function serve(
  world: World,
  request: ServeRequest,
  onServing: (serving: Serving) => void = () => {},
): Promise<void> {
  let loaded = await loadConfig(world, request)
  const config = () => loaded.config
  const sink = openSink(world, loaded.config)
  const log = createLog(sink, () => ({ format: config().logFormat, level: config().logLevel }))
  world.onPanic((error, kind) => log.error(`recovered from ${kind}`, describePanic(error)))

  const stop = stopSignals(world, log)
  const calls = countCalls()
  const starter = createNodeStarter()
  const live = createLiveCatalog(log, () => front?.toolsChanged())
  let front: Front | undefined

  const found = await live.refresh(whereOf(loaded))
  const environment = toolEnvironment(world)
  const deps: ServerDeps = {
    catalog: () => live.current(),
    callTool: calls.count(
      createCallTool({
        starter,
        settings: () => ({
          timeoutMs: config().timeoutMs,
          concurrency: config().limits.concurrency,
          outputBytes: config().limits.outputBytes,
        }),
        environment: () => environment,
        onCall: logCall(log),
      }),
    ),
    log,
    version: world.version,
    nameStyle: () => config().nameStyle,
  }
  try {
    front = await openFront(world, deps, loaded.config, request.insecure, stop.request)
  } catch (error) {
    stop.release()
    sink.close()
    throw error
  }

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
    },
    log,
  )
  const reloader = createReloader({
    log,
    record,
    live,
    load: () => loadConfig(world, request),
    apply: (next) => {
      warnAboutRestart(log, loaded.config, next.config)
      const differs = JSON.stringify(next.config) !== JSON.stringify(loaded.config)
      loaded = next
      return differs
    },
    watch: (next) => watch(next),
  })
  const watcher = config().watch
    ? watchDirectories({
        onChange: () => reloader.reload('watch'),
        onError: (error) =>
          log.warn('cannot watch for changes', { error: error.message, hint: 'use `orla reload`' }),
      })
    : undefined
  const watch = ({ directories, linked }: Refreshed) =>
    watcher?.update(
      [config().toolsDir, ...directories],
      loaded.file === null ? linked : [loaded.file, ...linked],
    )
  watch(found)
  const releaseHangup = world.onSignal('SIGHUP', () => {
    // A closed terminal sends the same signal; a server nobody can reach any more ends with it.
    if (world.stderr.isTTY && terminalIsGone()) return stop.request('terminal closed')
    sink.reopen()
    reloader.reload('SIGHUP')
  })

  logServing(log, front.url, loaded, live.current(), found.missing)
  onServing({ url: front.url, loaded, catalog: live.current(), toolsMissing: found.missing })

  log.info('stopping', { cause: await stop.requested, calls: calls.running() })
  watcher?.close()
  front.stopAccepting()
  await settled(front.idle(), config().shutdownGraceMs, stop.hurried)
  if (calls.running() > 0) log.warn('ending calls that did not finish in time', { calls: calls.running() })
  await Promise.all([starter.close(), front.close()])
  releaseHangup()
  stop.release()
  record.remove()
  log.info('stopped')
  sink.close()
}

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

function openFront(
  world: World,
  deps: ServerDeps,
  config: Config,
  insecure: boolean,
  onEnd: (cause: string) => void,
): Promise<Front> | Front {
  if (config.transport === 'http') {
    const { host, port, limits, token } = config
    return listenHttp(deps, { host, port, limits, token, insecure })
  }
  const stdio = serveStdio(deps, { stdin: world.stdin, stdout: world.stdout })
  void stdio.ended.then(() => onEnd('client disconnected'))
  return {
    url: null,
    toolsChanged: () => stdio.toolsChanged(),
    stopAccepting() {},
    idle: () => stdio.idle(),
    close: () => stdio.close(),
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

/** The first signal asks to stop, the second one does not wait for calls. */
function stopSignals(world: World, log: Log) {
  let request: (cause: string) => void = () => {}
  let hurry: () => void = () => {}
  const requested = new Promise<string>((resolve) => {
    request = resolve
  })
  const hurried = new Promise<void>((resolve) => {
    hurry = resolve
  })
  let signals = 0
  const onSignal = (name: string) => {
    signals++
    if (signals > 1) {
      log.warn('stopping at once', { cause: name })
      hurry()
    }
    request(name)
  }
  const releases = (['SIGINT', 'SIGTERM'] as const).map((name) => world.onSignal(name, () => onSignal(name)))
  return {
    requested,
    hurried,
    request: (cause: string) => {
      // A client that is gone waits for no answer.
      if (cause === 'client disconnected') hurry()
      request(cause)
    },
    release: () => {
      for (const release of releases) release()
    },
  }
}

function logServing(
  log: Log,
  url: string | null,
  loaded: LoadedConfig,
  catalog: Catalog,
  missing: boolean,
): void {
  const { config } = loaded
  const where =
    url === null ? { transport: 'stdio' } : { transport: 'http', url, port: Number(new URL(url).port) }
  log.info('serving', {
    ...where,
    tools: catalog.tools.size,
    problems: catalog.problems.length,
    tools_dir: config.toolsDir,
    config: loaded.file,
  })
  if (missing) {
    log.warn('the tools folder does not exist yet', {
      tools_dir: config.toolsDir,
      hint: config.watch
        ? 'it is picked up when it appears; `orla init` makes one with a sample'
        : '`orla init` makes one',
    })
  }
}

function warnAboutRestart(log: Log, before: Config, after: Config): void {
  const fixed = ['port', 'host', 'transport', 'token', 'logFile', 'watch'] as const
  const changed = fixed.filter((key) => before[key] !== after[key])
  if (changed.length > 0) log.warn('these settings take effect after a restart', { settings: changed })
}

function describePanic(error: unknown) {
  return error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) }
}
