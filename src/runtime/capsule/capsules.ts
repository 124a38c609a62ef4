import type { FindSecret } from '../../formats/index.ts'
import {
  type Capsule,
  type CapsuleControl,
  type Log,
  nearest,
  type OfferedTool,
  OrlaError,
  type RestartPolicy,
} from '../../model/index.ts'
import type { ProcessStarter } from '../../platform/index.ts'
import type { Confine } from '../confine.ts'
import { type Executor, type Job, type Outcome, type RunOf, refuse } from '../executor.ts'
import { redact } from '../implementations/redact.ts'
import { createDeadlines } from './deadlines.ts'
import { callCapsule } from './executor.ts'
import { createSupervisor, type Regrant, type Supervisor } from './supervisor.ts'

export interface CapsuleDeps {
  readonly starter: ProcessStarter
  /** What every capsule inherits, as far as it is entitled to. */
  readonly environment: () => Readonly<Record<string, string>>
  /** Without it their programs start as they are. */
  readonly confine?: Confine
  /** The value of a secret by its name. */
  readonly secret?: FindSecret
  readonly log: Log
  /** For capsules that say nothing of their own. */
  readonly restart: () => RestartPolicy
  /** Of one message. */
  readonly outputBytes: () => number
  /** What an MCP server in a capsule says it offers: after each start and each change. */
  readonly onTools?: (capsule: Capsule, tools: readonly OfferedTool[]) => void
  /** From 0 to 1: how long a restart waits within its bounds. */
  readonly random?: () => number
  /** Orla's own, as MCP servers in capsules hear it. */
  readonly version?: string
}

/** All processes that stay. At most one for each identity. */
export interface Capsules extends CapsuleControl {
  /**
   * Exactly these are kept from now on: eager ones start, those no longer named end after their calls. Several
   * with one name may be there at once (of an old catalog); commands mean the one named last.
   */
  hold(capsules: readonly Capsule[]): void
  /** A capsule that is not held is kept from the call on, until the next `hold` without it. */
  readonly execute: Executor<'capsule'>
  /** What one of them may do has changed; one that is not held is left alone. */
  regrant(capsule: Capsule, change: Regrant): void
  /** Starts it if need be. What an MCP server in it offers; nothing for others. Throws when it does not start. */
  offered(capsule: Capsule): Promise<readonly OfferedTool[]>
  /** Ends all of them. */
  close(graceMs?: number): Promise<void>
}

interface Kept {
  readonly supervisor: Supervisor
  isHeld: boolean
  /** Calls that wait or run. */
  users: number
}

export function createCapsules(deps: CapsuleDeps): Capsules {
  const { onTools = () => {}, random = Math.random, version = '0', secret = () => undefined, ...rest } = deps
  // In the order in which they were named last.
  const kept = new Map<string, Kept>()
  const ending = new Map<string, Promise<void>>()
  const deadlines = createDeadlines()
  let closed = false

  function keep(capsule: Capsule): Kept {
    const { identity } = capsule
    const known = kept.get(identity)
    if (known !== undefined) return known
    const after = ending.get(identity)
    const supervisor = createSupervisor(capsule, {
      ...rest,
      secret,
      onTools,
      random,
      version,
      ...(after && { after }),
    })
    const fresh: Kept = { supervisor, isHeld: true, users: 0 }
    kept.set(identity, fresh)
    return fresh
  }

  function dropIfDone(entry: Kept): void {
    const { identity } = entry.supervisor.capsule
    if (entry.isHeld || entry.users > 0 || kept.get(identity) !== entry) return
    kept.delete(identity)
    const end = entry.supervisor.close().then(() => {
      if (ending.get(identity) === end) ending.delete(identity)
    })
    ending.set(identity, end)
  }

  function enter(capsule: Capsule): Kept {
    const entry = keep(capsule)
    entry.users++
    return entry
  }

  function leave(entry: Kept): void {
    entry.users--
    dropIfDone(entry)
  }

  /** Not an async function: nothing waits between the question, its answer and who asked. */
  function converse(supervisor: Supervisor, run: RunOf<'capsule'>, job: Job): Promise<Outcome> {
    return callCapsule(supervisor, run, job, deadlines, (outcome) => {
      const told = redact(outcome, supervisor.secrets())
      const confinement = supervisor.confinement()
      if (confinement === undefined) return told
      const { result, exitCode, bytesIn, bytesOut } = told
      return { result, exitCode, bytesIn, bytesOut, confinement }
    })
  }

  async function converseUnless(
    asked: Promise<string | undefined>,
    supervisor: Supervisor,
    run: RunOf<'capsule'>,
    job: Job,
  ): Promise<Outcome> {
    const denied = await asked
    if (denied !== undefined) return refuse('denied', `\`${job.tool.name}\` ${denied}`)
    return converse(supervisor, run, job)
  }

  function find(name: string): Supervisor {
    const all = [...kept.values()].map(({ supervisor }) => supervisor)
    const found = all.findLast(({ capsule }) => capsule.name === name)
    if (found !== undefined) return found
    const names = all.map(({ capsule }) => capsule.name)
    const close = nearest(name, names)
    const hint = close === undefined ? 'see `orla capsule list`' : `did you mean \`${close}\`?`
    throw new OrlaError('E_NOT_FOUND', `there is no capsule called \`${name}\``, { hint })
  }

  return {
    hold(capsules) {
      if (closed) return
      const wanted = new Set(capsules.map(({ identity }) => identity))
      for (const capsule of capsules) {
        const isNew = !kept.has(capsule.identity)
        const entry = keep(capsule)
        entry.isHeld = true
        kept.delete(capsule.identity)
        kept.set(capsule.identity, entry)
        if (isNew && capsule.start === 'eager') entry.supervisor.wake()
      }
      for (const [identity, entry] of kept) {
        if (wanted.has(identity)) continue
        entry.isHeld = false
        dropIfDone(entry)
      }
    },
    execute(run, job) {
      if (closed)
        return Promise.resolve(
          refuse('crashed', `\`${job.tool.name}\` is not available any more: Orla is ending`),
        )
      const entry = enter(run.capsule)
      const { supervisor } = entry
      const left = () => leave(entry)
      try {
        const asked = supervisor.denied()
        const answer =
          asked === undefined ? converse(supervisor, run, job) : converseUnless(asked, supervisor, run, job)
        answer.then(left, left)
        return answer
      } catch (error) {
        left()
        return Promise.reject(error)
      }
    },
    regrant: ({ identity }, change) => kept.get(identity)?.supervisor.regrant(change),
    async offered(capsule) {
      const entry = enter(capsule)
      try {
        const denied = await entry.supervisor.denied()
        if (denied !== undefined) throw new OrlaError('E_REFUSED', `\`${capsule.name}\` ${denied}`)
        return await entry.supervisor.offered()
      } finally {
        leave(entry)
      }
    },
    list: () => [...kept.values()].map(({ supervisor }) => supervisor.status()),
    async start(name) {
      const supervisor = find(name)
      await supervisor.start()
      return supervisor.status()
    },
    async stop(name) {
      const supervisor = find(name)
      await supervisor.stop()
      return supervisor.status()
    },
    async restart(name) {
      const supervisor = find(name)
      await supervisor.restart()
      return supervisor.status()
    },
    logs: (name) => find(name).logs(),
    async close(graceMs) {
      closed = true
      const ends = [...kept.values()].map(({ supervisor }) => supervisor.close(graceMs))
      await Promise.all([...ends, ...ending.values()])
    },
  }
}
