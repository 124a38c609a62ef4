import {
  type Capsule,
  type CapsuleLogLine,
  type CapsuleStatus,
  type Confinement,
  type Log,
  type OfferedTool,
  OrlaError,
  type RestartPolicy,
} from '../../model/index.ts'
import { durationWords } from '../measure-words.ts'
import { backoffMs } from './backoff.ts'
import { createConditions } from './conditions.ts'
import { createFairTimer } from './fair-timer.ts'
import { createIncarnations, GRACE_MS, type IncarnationDeps } from './incarnations.ts'
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
  /** It may do more than its process was started with, less, or nothing at all. */
  regrant(change: Regrant): void
  /** Why its program must not start; undefined when it may, and at once where nothing holds it. Follows its name. */
  denied(): Promise<string | undefined> | undefined
  /** What holds its program back; undefined for one that runs as it is. */
  confinement(): Confinement | undefined
  /** The same, for good. */
  close(graceMs?: number): Promise<void>
  status(): CapsuleStatus
  logs(): CapsuleLogLine[]
  /** The secrets its newest process was given, to be repeated to nobody. */
  secrets(): readonly string[]
}

/** What became of what a capsule may do. What is taken back is taken back now, with the calls that use it. */
export type Regrant = 'more' | 'less' | 'nothing'

export interface SupervisorDeps extends IncarnationDeps {
  readonly log: Log
  readonly restart: () => RestartPolicy
  readonly random: () => number
}

/** For calls in flight before a reload. */
const DRAIN_MS = 5_000

export function createSupervisor(capsule: Capsule, deps: SupervisorDeps): Supervisor {
  const { name } = capsule
  const { hear, say, lines } = createNarrator(name, deps.log, (text) => incarnations.hide(text))
  const incarnations = createIncarnations(capsule, deps, { dispatch, hear, say })
  const conditions = createConditions()
  const pending: { readonly event: LifeEvent; readonly words: string }[] = []
  const phaseTimer = createFairTimer()
  let life = NEW_LIFE
  let stopHealth = () => {}
  let advancing = false
  let closed = false
  let graceMs = GRACE_MS
  let since = new Date()
  let beganAt = 0
  let lastError: string | null = null

  const turns = createTurns({
    maxConcurrency: capsule.maxConcurrency ?? Number.POSITIVE_INFINITY,
    door() {
      const { session } = incarnations
      return stateNow() === 'READY' && session?.isGone === false ? session.channel : undefined
    },
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
    if (is === 'READY') stopHealth = incarnations.watchOver(life.incarnation)
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
    const { session } = incarnations
    const words = {
      startup: () => (session === undefined ? '' : notReadyWords(capsule, session)),
      drain: () => `was reloaded and had not answered within ${durationWords(DRAIN_MS)}`,
      idle: () => '',
      backoff: () => '',
    }
    dispatch({ kind: 'timer', timer: which }, words[which]())
  }

  const perform: Readonly<Record<Effect, (words: string) => void>> = {
    start: () => begin(),
    end: () => incarnations.session?.end(graceMs),
    kill: () => incarnations.session?.end(0),
    release: () => turns.admit(),
    fail: (words) => incarnations.session?.channel?.fail(`\`${name}\` ${words}`),
    refuse: () => turns.refuse(refusal()),
  }

  function begin(): void {
    beganAt = performance.now()
    incarnations.begin(life.incarnation)
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
      return incarnations.tools
    },
    async stop() {
      dispatch({ kind: 'stop' }, 'was stopped by command')
      await whenStopped()
    },
    regrant(change) {
      if (change === 'more') dispatch({ kind: 'changed' }, 'may do more and is started anew')
      if (change === 'less') dispatch({ kind: 'replace' }, 'lost something it could do and is started anew')
      if (change === 'nothing')
        dispatch({ kind: 'stop' }, 'may not run any more: what was accepted is taken back')
    },
    async close(most = GRACE_MS) {
      closed = true
      graceMs = Math.min(graceMs, most)
      dispatch({ kind: 'stop' }, 'was stopped because Orla ends it')
      incarnations.close()
      await whenStopped()
    },
    denied: () => incarnations.holdNow()?.denied(),
    confinement: () => incarnations.hold?.confinement(),
    status: () => ({
      name,
      version: capsule.version,
      state: stateNow(),
      pid: incarnations.session?.pid ?? null,
      since: since.toISOString(),
      crashes: recentCrashes(life, { ...policy(), at: performance.now() }).length,
      starts: life.incarnation,
      calls: turns.finished,
      running: turns.running,
      waiting: turns.waiting,
      last_error: lastError,
      tools: capsule.handshake === 'orla' ? [name] : incarnations.tools.map((tool) => `${name}.${tool.name}`),
    }),
    logs: lines,
    secrets: () => incarnations.secrets,
  }
}
