import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { start, stop, within } from './children.mjs'
import { connect } from './rpc.mjs'

const START_MS = 60_000
let logs = 0

/** `orla --stdio` in a project, and a client at its pipes. Records go to a file, as a service would have it. */
export function openStdio(scratch, project, { nodeArgs, ipc, env } = {}) {
  const log = nextLog(scratch)
  const child = startOrla(scratch, project, ['--stdio'], {
    nodeArgs,
    ipc,
    env,
    stdin: 'pipe',
    stdout: 'pipe',
    log,
  })
  const records = () => recordsIn(log)
  return { child, pid: child.pid, records, stop: () => stop(child), ...connect(child) }
}

/** `orla` over HTTP on a free port of the loopback. */
export async function openHttp(scratch, project, { nodeArgs, ipc } = {}) {
  const log = nextLog(scratch)
  const child = startOrla(scratch, project, ['--port', '0'], { nodeArgs, log, ipc })
  const serving = await eventually(() => recordsIn(log).find((record) => record.msg === 'serving'), child)
  return { child, pid: child.pid, url: serving.url, stop: () => stop(child) }
}

/** Milliseconds of a whole command, from its start to its end. */
export function timeOrla(scratch, project, args) {
  return timeProgram(process.execPath, [scratch.program, ...args], {
    cwd: project,
    env: environment(scratch),
  })
}

export async function timeProgram(command, args, options = {}) {
  const begun = performance.now()
  const child = start(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  const [status] = await within(START_MS, args.join(' '), once(child, 'close'))
  if (status !== 0) throw new Error(`status ${status}: ${args.join(' ')}`)
  return performance.now() - begun
}

/** Waits for a condition, with a deadline. */
export async function eventually(look, child) {
  for (const end = performance.now() + START_MS; performance.now() < end; await pause(5)) {
    const found = look()
    if (found) return found
    if (child.exitCode !== null) throw new Error(`it ended with status ${child.exitCode}`)
  }
  throw new Error(`did not happen within ${START_MS} ms`)
}

function startOrla(
  scratch,
  project,
  args,
  { nodeArgs = [], ipc = false, env = {}, stdin = 'ignore', stdout = 'ignore', log },
) {
  const stderr = openSync(log, 'a')
  const child = start(process.execPath, [...nodeArgs, scratch.program, ...args], {
    cwd: project,
    env: { ...environment(scratch), ...env },
    stdio: [stdin, stdout, stderr, ...(ipc ? ['ipc'] : [])],
  })
  closeSync(stderr)
  return child
}

function environment(scratch) {
  return { ...process.env, ORLA_HOME: scratch.home, NO_COLOR: '1' }
}

function nextLog(scratch) {
  return join(scratch.base, `log-${++logs}`)
}

/** The last line may still be half written. */
function recordsIn(log) {
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  })
}
