import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { writeFiles } from './files.ts'

/** The built program, run by this Node or by the one the environment names. */
export const ORLA = join(dirname(fileURLToPath(import.meta.url)), '../../dist/orla.cjs')
export const NODE = process.execPath

export interface Finished {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What it printed, of a command that must not fail. */
export function ok(finished: Finished): string {
  expect([finished.status, finished.stderr]).toEqual([0, expect.any(String)])
  return finished.stdout
}

export interface Project {
  readonly dir: string
  /** `tools/x.sh` and whatever begins with `#!` becomes executable. */
  write(files: Readonly<Record<string, string>>): void
  orla(args: readonly string[], options?: RunOptions): Promise<Finished>
  serve(args?: readonly string[], options?: RunOptions): Promise<Server>
  readonly env: Readonly<Record<string, string>>
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string
  readonly node?: string
  /** Instead of the built one. */
  readonly program?: string
}

export interface Record_ {
  readonly level: string
  readonly msg: string
  readonly [key: string]: unknown
}

export interface Server {
  readonly child: ChildProcess
  readonly url: string
  readonly port: number
  readonly records: readonly Record_[]
  /** The first record that fits, now or later. */
  record(fits: (record: Record_) => boolean): Promise<Record_>
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** A project of its own in a temporary folder, with its own home; all of it goes with the test. */
export function makeProject(files: Readonly<Record<string, string>> = {}): Project {
  const base = mkdtempSync(join(tmpdir(), 'orla-story-'))
  const dir = join(base, 'project')
  mkdirSync(dir)
  const env = cleanEnvironment(join(base, 'home'))
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) await end(child)
    rmSync(base, { recursive: true, force: true })
  })

  const start = (args: readonly string[], options: RunOptions = {}) => {
    const child = spawn(options.node ?? NODE, [options.program ?? ORLA, ...args], {
      cwd: options.cwd ?? dir,
      env: { ...env, ...options.env },
      stdio: 'pipe',
    })
    children.push(child)
    return child
  }
  const project: Project = {
    dir,
    env,
    write: (more) => writeFiles(dir, more),
    async orla(args, options = {}) {
      const child = start(args, options)
      child.stdin.end(options.stdin ?? '')
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
      const [status] = await once(child, 'close')
      return { status: status as number | null, stdout: stdout(), stderr: stderr() } // 'close' carries the status
    },
    serve: (args = ['--port', '0'], options = {}) => follow(start(args, options)),
  }
  project.write(files)
  return project
}

/** What every story starts from. */
export function cleanEnvironment(home: string): Record<string, string> {
  const env: Record<string, string> = { ORLA_HOME: home, NO_COLOR: '1' }
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^(ORLA_|GIT_SSL_|NODE_OPTIONS|VITEST|FORCE_COLOR|CLICOLOR)/.test(name))
      env[name] = value
  }
  return { ...env, ...chosenVariables() }
}

/** `ORLA_TEST_ENV="ORLA_LAUNCHER=off ORLA_EDGE=sdk"` runs the same stories on another way through the program. */
function chosenVariables(): Record<string, string> {
  const pairs = (process.env.ORLA_TEST_ENV ?? '').split(' ').filter((pair) => pair !== '')
  return Object.fromEntries(
    pairs.map((pair): [string, string] => {
      const [name = '', ...value] = pair.split('=')
      return [name, value.join('=')]
    }),
  )
}

async function follow(child: ChildProcess): Promise<Server> {
  const records: Record_[] = []
  const watchers = new Set<() => void>()
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) records.push(parseRecord(line))
    for (const look of watchers) look()
  })
  const record = (fits: (record: Record_) => boolean) =>
    new Promise<Record_>((resolve, reject) => {
      const finish = (act: () => void) => {
        clearTimeout(timer)
        watchers.delete(look)
        act()
      }
      const look = () => {
        const found = records.find(fits)
        if (found) finish(() => resolve(found))
        else if (child.exitCode !== null) finish(() => reject(new Error(`it ended:\n${show(records)}`)))
      }
      const timer = setTimeout(
        () => finish(() => reject(new Error(`no such record:\n${show(records)}`))),
        20_000,
      )
      watchers.add(look)
      look()
    })
  child.on('exit', () => {
    for (const look of watchers) look()
  })
  const serving = await record(({ msg }) => msg === 'serving')
  return {
    child,
    url: typeof serving.url === 'string' ? serving.url : '',
    port: Number(serving.port ?? 0),
    records,
    record,
    async stop(signal = 'SIGTERM') {
      const ended = once(child, 'exit')
      child.kill(signal)
      const [code, by] = (await ended) as [number | null, NodeJS.Signals | null]
      return { code, signal: by }
    },
  }
}

function parseRecord(line: string): Record_ {
  try {
    return JSON.parse(line) as Record_
  } catch {
    return { level: 'none', msg: line }
  }
}

function show(records: readonly Record_[]): string {
  return records.map((one) => JSON.stringify(one)).join('\n')
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Waits for a condition, with a deadline; tests never sleep for a guessed time. */
export async function eventually<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  what: string,
  deadlineMs = 15_000,
): Promise<T> {
  const end = Date.now() + deadlineMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > end) throw new Error(`did not happen in ${deadlineMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
}

/** Processes whose command line, its words joined by spaces, contains the text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text)
      } catch {
        return false // it is gone
      }
    })
}

/** The processes a process has started and not lost. */
export function childrenOf(parent: number | undefined): number[] {
  return processesWith('').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${parent}\n`)
    } catch {
      return false // it is gone
    }
  })
}
