import type { FindSecret } from '../../formats/index.ts'
import {
  type Capsule,
  type CapsuleLogLine,
  type CapsuleStatus,
  type Confinement,
  hiderOf,
  type Log,
  type OfferedTool,
  OrlaError,
  type RestartPolicy,
} from '../../model/index.ts'
import { type ProcessStarter, type TreeWatcher, watchTrees } from '../../platform/index.ts'
import type { Confine, Hold } from '../confine.ts'
import { environmentOf, secretsFor } from '../environment.ts'
import { durationWords } from '../measure-words.ts'
import { backoffMs } from './backoff.ts'
import { createConditions } from './conditions.ts'
import { createFairTimer } from './fair-timer.ts'
import { watchHealth } from './health.ts'
import {
  concerns,
  type Effect,
  type LifeEvent,
  NEW_LIFE,
  PHASES,
  type Phase,
  recentCrashes,
  step,
  type TimerName,
} from './lifecycle.ts'
import { createNarrator } from './narrator.ts'
import { openSession, type Session } from './session.ts'
import { createTurns, type Visitor } from './turns.ts'
import { newsOf, notReadyWords, stoppedWords } from './words.ts'

/** Keeps one capsule alive: performs what the table of its life asks for. */
export interface Supervisor {
  readonly capsule: Capsule
  /** Starts it if need be. Returns a function that gives up waiting. */
  visit(visitor: Visitor): () => void
  /** Starts it if it was never started; nobody waits. */
  wake(): void
  /** These throw an `OrlaError` with the reason when it does not become ready. */
  start(): Promise<void>
  restart(): Promise<void>
  offered(): Promise<readonly OfferedTool[]>
  /** Resolves when its process is gone. */
  stop(): Promise<void>
  /** Why its program must not start; undefined when it may. Follows its name. */
  denied(): Promise<string | undefined>
  /** What holds its program back; undefined for one that runs as it is. */
  confinement(): Confinement | undefined
  /** The same, for good. */
  close(graceMs?: number): Promise<void>
  status(): CapsuleStatus
  logs(): CapsuleLogLine[]
  /** The secrets its newest process was given, to be repeated to nobody. */
  secrets(): readonly string[]
}

export interface SupervisorDeps {
  readonly starter: ProcessStarter
  readonly environment: () => Readonly<Record<string, string>>
  readonly confine?: Confine
  readonly secret: FindSecret
  readonly log: Log
  readonly restart: () => RestartPolicy
  readonly outputBytes: () => number
  readonly onTools: (capsule: Capsule, tools: readonly OfferedTool[]) => void
  readonly random: () => number
  /** Orla's own. */
  readonly version: string
  /** What must be over before its first process starts: the end of one that was the same. */
  readonly after?: Promise<void>
}

/** Between asking the process to end and killing it. */
const GRACE_MS = 2_000
/** For calls in flight before a reload. */
const DRAIN_MS = 5_000

export function createSupervisor(capsule: Capsule, deps: SupervisorDeps): Supervisor {
  const { name } = capsule
  // What was handed to a process is not repeated, whatever it says.
  let handed: readonly string[] = []
  const hide = (text: string) => hiderOf(handed)(text)
  const { hear, say, lines } = createNarrator(name, deps.log, hide)
  const conditions = createConditions()
  const pending: { readonly event: LifeEvent; readonly words: string }[] = []
  const phaseTimer = createFairTimer()
  let life = NEW_LIFE
  let session: Session | undefined
  let hold: Hold | undefined
  let sources: TreeWatcher | undefined
  let stopHealth = () => {}
  let advancing = false
  let closed = false
  let graceMs = GRACE_MS
  let since = new Date()
  let beganAt = 0
  let lastError: string | null = null
  let tools: readonly OfferedTool[] = []

  const turns = createTurns({
    maxConcurrency: capsule.maxConcurrency ?? Number.POSITIVE_INFINITY,
    door: () => (stateNow() === 'READY' && session?.isGone === false ? session.channel : undefined),
    onBusy: () => dispatch({ kind: 'busy' }),
    onQuiet: () => dispatch({ kind: 'quiet' }),
  })
  const stateNow = () => PHASES[life.phase].state
  let usual = deps.restart()
  let merged: RestartPolicy = { ...usual, ...capsule.restart }
  /** Asked several times for each call, and different only after a reload. */
  const policy = () => {
    const now = deps.restart()
    if (now === usual) return merged
    usual = now
    merged = { ...usual, ...capsule.restart }
    return merged
  }

  /** One event after the other: what an effect brings about comes behind it. `words` follow the name. */
  function dispatch(event: LifeEvent, words = ''): void {
    if (!advancing && !concerns(life, event)) return
    pending.push({ event, words })
    if (advancing) return
    advancing = true
    try {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
        advance(next.event, next.words)
      }
    } finally {
      advancing = false
    }
    conditions.check()
  }

  function advance(event: LifeEvent, words: string): void {
    const before = life
    const { limit, windowMs } = policy()
    const { life: after, effects } = step(life, event, { limit, windowMs, at: performance.now() })
    life = after
    if (after.unready > before.unready) {
      lastError = words
      say('warn', `crashed: it ${words}`)
    }
    if (after.phase !== before.phase) enter(before.phase, words)
    for (const effect of effects) perform[effect](words)
  }

  function enter(before: Phase, words: string): void {
    const { timer } = PHASES[life.phase]
    if (timer === undefined) phaseTimer.clear()
    else phaseTimer.set(timerMs(timer), () => onTimer(timer))
    const [was, is] = [PHASES[before].state, stateNow()]
    if (was === is) return
    since = new Date()
    if (was === 'READY') stopHealth()
    if (is === 'READY') watchOver()
    const news = newsOf(life, { words, windowMs: policy().windowMs, startMs: performance.now() - beganAt })
    if (news !== undefined) say(life.stoppedBy === 'limit' ? 'warn' : 'info', news)
  }

  function timerMs(which: TimerName): number | undefined {
    switch (which) {
      case 'startup':
        return capsule.startupTimeoutMs
      case 'idle':
        return capsule.idleTimeoutMs
      case 'drain':
        return DRAIN_MS
      case 'backoff': {
        const ms = backoffMs(life, policy(), deps.random)
        say('info', `starting again in ${durationWords(Math.round(ms))}`)
        return ms
      }
    }
  }

  function onTimer(which: TimerName): void {
    const words = {
      startup: () => (session === undefined ? '' : notReadyWords(capsule, session.lastWords)),
      drain: () => `was reloaded and had not answered within ${durationWords(DRAIN_MS)}`,
      idle: () => '',
      backoff: () => '',
    }
    dispatch({ kind: 'timer', timer: which }, words[which]())
  }

  const perform: Readonly<Record<Effect, (words: string) => void>> = {
    start: () => begin(),
    end: () => session?.end(graceMs),
    kill: () => session?.end(0),
    release: () => turns.admit(),
    fail: (words) => session?.channel?.fail(`\`${name}\` ${words}`),
    refuse: () => turns.refuse(refusal()),
  }

  function begin(): void {
    const { incarnation } = life
    beganAt = performance.now()
    watchSources()
    hold = holdNow()
    session = openSession({
      capsule,
      maxBytes: deps.outputBytes(),
      version: deps.version,
      limits: hold?.limits ?? {},
      async open() {
        await deps.after
        const { file, args, cwd, script } = capsule.command
        const secrets = secretsFor(capsule.command, deps.secret)
        handed = Object.values(secrets)
        const env = environmentOf(capsule.command, deps.environment(), secrets)
        const asks = script === file ? {} : { script }
        return (hold?.starter ?? deps.starter).open({ file, args, cwd, env, graceMs: GRACE_MS, ...asks })
      },
      listener: {
        onStarted: (pid) => say('info', `started, pid ${pid}`),
        onNotStarted: (words) => dispatch({ kind: 'not-started', incarnation }, hide(words)),
        onReady(offered) {
          if (offered !== undefined) learn(offered)
          dispatch({ kind: 'ready', incarnation })
        },
        onFailed: (words) => dispatch({ kind: 'failed', incarnation }, hide(words)),
        onGone: (words) => dispatch({ kind: 'gone', incarnation }, hide(words)),
        onEnded: () => dispatch({ kind: 'ended', incarnation }, 'ended'),
        onTools: learn,
        onSaid: hear,
        onBreach: (words) => say('warn', `protocol error: it ${words}`),
      },
    })
  }

  /** Asked anew each time: what a person grants may change meanwhile. */
  function holdNow(): Hold | undefined {
    const { origin } = capsule
    return origin && deps.confine?.({ name, origin, stays: true })
  }

  function learn(offered: readonly OfferedTool[]): void {
    tools = offered
    deps.onTools(capsule, offered)
  }

  function watchOver(): void {
    const { health } = capsule
    const { incarnation } = life
    if (health === undefined || session?.channel === undefined) return
    stopHealth = watchHealth(session.channel, health, () =>
      dispatch(
        { kind: 'failed', incarnation },
        `did not answer a ping within ${durationWords(health.timeoutMs)}`,
      ),
    )
  }

  /** What is there when a process starts is what it runs. */
  function watchSources(): void {
    const { hotLoad } = capsule
    sources?.look()
    if (hotLoad === undefined) return
    sources ??= watchTrees(hotLoad.paths, {
      debounceMs: hotLoad.debounceMs,
      onChange: (file) => dispatch({ kind: 'changed' }, `reloading because ${file} changed`),
      onError: (error) => say('warn', error.message),
    })
  }

  function refusal(): string {
    if (closed) return `\`${name}\` is not available any more: Orla ends it`
    return stoppedWords(capsule, life, policy().windowMs, lastError)
  }

  async function whenReady(): Promise<void> {
    const { unready } = life
    const outcome = await conditions.when(() => {
      if (stateNow() === 'READY') return 'ready'
      if (stateNow() === 'STOPPED') return life.unready > unready ? `\`${name}\` ${lastError}` : refusal()
      return life.unready > unready ? `\`${name}\` ${lastError}` : undefined
    })
    if (outcome !== 'ready') throw new OrlaError('E_CAPSULE', outcome)
  }

  async function whenStopped(): Promise<void> {
    await conditions.when(() => (PHASES[life.phase].hasProcess ? undefined : true))
  }

  return {
    capsule,
    visit(visitor) {
      if (closed || stateNow() === 'STOPPED') {
        visitor.refuse(refusal())
        return () => {}
      }
      const giveUp = turns.join(visitor)
      dispatch({ kind: 'need' }, 'starting again after a rest')
      return giveUp
    },
    wake: () => dispatch({ kind: 'need' }),
    async start() {
      if (!closed) dispatch({ kind: 'start' }, 'starting by command')
      await whenReady()
    },
    async restart() {
      if (!closed) dispatch({ kind: 'restart' }, 'restarting by command')
      await whenReady()
    },
    async offered() {
      dispatch({ kind: 'need' }, 'starting again after a rest')
      await whenReady()
      return tools
    },
    async stop() {
      dispatch({ kind: 'stop' }, 'was stopped by command')
      await whenStopped()
    },
    async close(most = GRACE_MS) {
      closed = true
      graceMs = Math.min(graceMs, most)
      dispatch({ kind: 'stop' }, 'was stopped because Orla ends it')
      sources?.close()
      await whenStopped()
    },
    denied: async () => holdNow()?.denied(),
    confinement: () => hold?.confinement(),
    status: () => ({
      name,
      version: capsule.version,
      state: stateNow(),
      pid: session?.pid ?? null,
      since: since.toISOString(),
      crashes: recentCrashes(life, { ...policy(), at: performance.now() }).length,
      starts: life.incarnation,
      calls: turns.finished,
      running: turns.running,
      waiting: turns.waiting,
      last_error: lastError,
      tools: capsule.handshake === 'orla' ? [name] : tools.map((tool) => `${name}.${tool.name}`),
    }),
    logs: lines,
    secrets: () => handed,
  }
}
