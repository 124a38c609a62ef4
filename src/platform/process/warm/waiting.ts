import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { TalkRequest } from '../launcher/open.ts'
import type { OpenProcess, ProcessStarter } from '../starter.ts'
import type { Plan } from './plan.ts'
import { PYTHON_BOOTSTRAP } from './python-bootstrap.ts'

/** One interpreter that was started ahead. */
export interface Waiting {
  readonly process: OpenProcess
  /** With the time it took; undefined when it ended before. */
  readonly ready: Promise<number | undefined>
}

/** One that sees its input end leaves at once; this is for one that is still starting. */
const GRACE_MS = 1_000

/** Undefined when it could not be started. `bootstrap` is the file that Node is to load. */
export async function startWaiting(
  starter: ProcessStarter,
  plan: Plan,
  bootstrap: () => string,
): Promise<Waiting | undefined> {
  const { language, file, options, env, setup } = plan
  const begun = performance.now()
  const request: TalkRequest = {
    file,
    args:
      language === 'python'
        ? [...options, '-c', PYTHON_BOOTSTRAP]
        : [...options, '--require', bootstrap(), NEVER_READ],
    cwd: '/',
    env,
    graceMs: GRACE_MS,
    input: 'file',
    ...(setup && { setup }),
  }
  const process = await starter.open(request)
  if ('problem' in process) return undefined
  const ready = nextByte(process.stdout).then((byte) =>
    byte === READY ? performance.now() - begun : undefined,
  )
  return { process, ready }
}

/** Node wants a main program on its command line; what it runs is the script of the call. */
const NEVER_READ = '/dev/null/script'

const READY = 'R'.charCodeAt(0)
export const BEGUN = 'A'.charCodeAt(0)

/** Takes one byte and leaves the others where they are. Undefined at the end of the stream. */
export function nextByte(stream: Readable): Promise<number | undefined> {
  return new Promise((settle) => {
    const finish = (byte: number | undefined) => {
      stream.off('readable', look)
      stream.off('close', close)
      settle(byte)
    }
    const close = () => finish(undefined)
    const look = () => {
      const chunk: unknown = stream.read(1)
      if (chunk instanceof Buffer) finish(chunk[0])
    }
    stream.on('readable', look)
    stream.on('close', close)
    if (stream.destroyed) close()
    else look()
  })
}

/** What a process holds in memory; 0 where that cannot be told. */
export function residentBytes(pid: number): number {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')
    return Number(pages) * PAGE_BYTES
  } catch {
    return 0
  }
}

const PAGE_BYTES = 4096
