import { closeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { drainStreams } from './drain.ts'
import type { RunContext } from './run.ts'
import { diagnoseSpawn, diagnoseStatus127 } from './spawn-problem.ts'
import { startTalking } from './start.ts'
import type { OpenEnd, OpenFailure, OpenProcess, OpenRequest } from './starter.ts'
import { createTree } from './tree.ts'
import { startWithFile } from './warm/start-with-file.ts'

/** A program that sees its input end may leave by itself: for this part of the grace, and no longer than that. */
const LEAVE_PART = 1 / 4
const LONGEST_LEAVE_MS = 500

/** One program that stays, from start to end. */
export async function openProcess(
  request: OpenRequest,
  context: RunContext,
): Promise<OpenProcess | OpenFailure> {
  const { guardian, descendants, marker, closing } = context
  if (closing.aborted) return CLOSED
  const at = performance.now()
  const withFile = request.input === 'file' ? startWithFile(request, context) : undefined
  const program = withFile ?? startTalking(request, context)
  if (program instanceof Promise) {
    const error = await program
    return { error, problem: diagnoseSpawn(request, error) }
  }
  const { child, pid } = program
  const { stdin, stdout, stderr } = 'input' in program ? program : program.child
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {})

  const gone = new Promise<OpenEnd>((settle) => {
    child.once('exit', (exitCode, signal) => settle(endOf(request, exitCode, signal)))
  })
  const isReaped = () => child.exitCode !== null || child.signalCode !== null
  const reaped = gone.then(() => {})
  const tree = createTree({ pid, marker, at, isReaped, reaped }, descendants)
  let clearing: Promise<void> | undefined

  async function leave(graceMs: number, leaveMs: number): Promise<void> {
    stdin.end()
    const over = new AbortController()
    await Promise.race([reaped, pause(leaveMs, undefined, { signal: over.signal }).catch(() => {})])
    over.abort()
    await (isReaped() ? tree.sweep() : tree.end(graceMs))
  }

  const exited = gone.then(async (end) => {
    clearing ??= tree.sweep()
    await clearing
    await drainStreams([stdout, stderr], () => bytesRead(stdout) + bytesRead(stderr))
    stdin.destroy()
    if (withFile !== undefined) closeSync(withFile.input)
    child.unref()
    guardian.remove(pid)
    return end
  })

  return {
    pid,
    stdin,
    stdout,
    stderr,
    ...(withFile && { input: withFile.input }),
    gone,
    exited,
    async end(graceMs = request.graceMs, leaveMs = Math.min(graceMs * LEAVE_PART, LONGEST_LEAVE_MS)) {
      clearing ??= leave(graceMs, leaveMs)
      await clearing
      // One that the kernel holds on to in spite of KILL is not waited for.
      if (isReaped()) await exited
    },
  }
}

function endOf(request: OpenRequest, exitCode: number | null, signal: string | null): OpenEnd {
  const problem = exitCode === 127 ? diagnoseStatus127(request) : undefined
  return { exitCode, signal, ...(problem && { problem }) }
}

/** Node's pipes are sockets; the types only promise a Readable. */
function bytesRead(stream: unknown): number {
  return (stream as Socket).bytesRead
}

const CLOSED: OpenFailure = {
  error: new Error('the starter is closed'),
  problem: { kind: 'other', message: 'Orla is about to end' },
}
