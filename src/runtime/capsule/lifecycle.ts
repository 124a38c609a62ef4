import type { CapsuleState, RestartPolicy } from '../../model/index.ts'

/** Finer than the states people see: what is with the process, and what is waited for. */
export type Phase =
  | 'created'
  /** It was idle: its process ends, nothing follows. */
  | 'resting'
  | 'starting'
  /** Ready, with calls in flight. */
  | 'busy'
  /** Ready, with none. */
  | 'quiet'
  /** The calls in flight may finish before the process is replaced. */
  | 'draining'
  /** The process ends, another follows. */
  | 'replacing'
  /** It crashed, or is killed because it failed; the rest of it is cleared away. */
  | 'falling'
  | 'backing-off'
  | 'stopping'
  | 'stopped'

export type TimerName = 'startup' | 'idle' | 'drain' | 'backoff'

interface Traits {
  readonly state: CapsuleState
  /** There is, or may still be, a process. */
  readonly hasProcess: boolean
  /** The only one that runs in this phase; it dies with it. */
  readonly timer?: TimerName
}

export const PHASES: Readonly<Record<Phase, Traits>> = {
  created: { state: 'CREATED', hasProcess: false },
  resting: { state: 'CREATED', hasProcess: true },
  starting: { state: 'STARTING', hasProcess: true, timer: 'startup' },
  busy: { state: 'READY', hasProcess: true },
  quiet: { state: 'READY', hasProcess: true, timer: 'idle' },
  draining: { state: 'RELOADING', hasProcess: true, timer: 'drain' },
  replacing: { state: 'RELOADING', hasProcess: true },
  falling: { state: 'CRASHED', hasProcess: true },
  'backing-off': { state: 'CRASHED', hasProcess: false, timer: 'backoff' },
  stopping: { state: 'STOPPED', hasProcess: true },
  stopped: { state: 'STOPPED', hasProcess: false },
}

export interface Life {
  readonly phase: Phase
  /** Which process is meant: each start counts one up. */
  readonly incarnation: number
  /** When it crashed, within the window, oldest first. */
  readonly crashes: readonly number[]
  /** Crashes since it was last ready: a slow start must not slide out of the window for ever. */
  readonly unready: number
  readonly stoppedBy?: 'limit' | 'command'
}

export const NEW_LIFE: Life = { phase: 'created', incarnation: 0, crashes: [], unready: 0 }

export type LifeEvent =
  /** Someone wants to call it. */
  | { readonly kind: 'need' }
  | { readonly kind: 'start' | 'stop' | 'restart' }
  /** A watched file, or what it may do: another process follows once its calls are done. */
  | { readonly kind: 'changed' }
  /** Its process may not go on as it is: another follows, and its calls fail now. */
  | { readonly kind: 'replace' }
  /** The first call is in flight; the last one is not any more. */
  | { readonly kind: 'busy' | 'quiet' }
  | { readonly kind: 'timer'; readonly timer: TimerName }
  /**
   * From one process: it could not be started; or it is ready, does not behave, has exited, and (always behind
   * that) all of it is gone.
   */
  | {
      readonly kind: 'not-started' | 'ready' | 'failed' | 'gone' | 'ended'
      readonly incarnation: number
    }

/** `fail`: calls in flight. `release`, `refuse`: waiting calls. `end` asks the process, `kill` does not. */
export type Effect = 'start' | 'end' | 'kill' | 'release' | 'fail' | 'refuse'

export interface Step {
  readonly life: Life
  readonly effects: readonly Effect[]
}

export interface Moment extends Pick<RestartPolicy, 'limit' | 'windowMs'> {
  readonly at: number
}

/** What an event does to a capsule. Events that mean nothing in its phase, or come from an old process, do nothing. */
export function step(life: Life, event: LifeEvent, moment: Moment): Step {
  return rowOf(life, event)?.(life, moment) ?? { life, effects: [] }
}

/** Whether an event does anything at all. */
export function concerns(life: Life, event: LifeEvent): boolean {
  return rowOf(life, event) !== undefined
}

function rowOf(life: Life, event: LifeEvent): Row | undefined {
  if ('incarnation' in event && event.incarnation !== life.incarnation) return undefined
  return TABLE[life.phase][event.kind === 'timer' ? event.timer : event.kind]
}

/** The crashes that still count. */
export function recentCrashes(
  { crashes }: Life,
  { at, windowMs }: Pick<Moment, 'at' | 'windowMs'>,
): number[] {
  return crashes.filter((time) => at - time < windowMs)
}

type Row = (life: Life, moment: Moment) => Step
type Key = Exclude<LifeEvent['kind'], 'timer'> | TimerName

const begin: Row = (life) => ({
  life: { ...awake(life), phase: 'starting', incarnation: life.incarnation + 1 },
  effects: ['start'],
})
/** Someone asked for it by name: what happened before is forgiven. */
const beginAnew: Row = (life, moment) => begin(forgiven(life), moment)
const replaceAnew: Row = (life) => ({ life: { ...awake(forgiven(life)), phase: 'replacing' }, effects: [] })
const becomeReady: Row = (life) => ({ life: { ...life, phase: 'quiet', unready: 0 }, effects: ['release'] })

const to =
  (phase: Phase, ...effects: Effect[]): Row =>
  (life) => ({ life: inPhase(life, phase), effects })
const stopTo =
  (phase: 'stopping' | 'stopped', ...effects: Effect[]): Row =>
  (life) => ({ life: { ...life, phase, stoppedBy: 'command' }, effects: [...effects, 'refuse'] })

const crash =
  (process: 'kill' | 'clearing' | 'none'): Row =>
  (life, moment) => {
    const crashes = [...recentCrashes(life, moment), moment.at]
    const unready = life.unready + 1
    const isOver = Math.max(crashes.length, unready) >= moment.limit
    const effects: Effect[] = isOver ? ['fail', 'refuse'] : ['fail']
    if (process === 'kill') effects.push('kill')
    const crashed = { ...life, crashes, unready }
    if (isOver) {
      const phase = process === 'none' ? 'stopped' : 'stopping'
      return { life: { ...crashed, phase, stoppedBy: 'limit' }, effects }
    }
    return { life: { ...crashed, phase: process === 'none' ? 'backing-off' : 'falling' }, effects }
  }

const CRASHES = { failed: crash('kill'), gone: crash('clearing') } as const

const TABLE: Readonly<Record<Phase, Partial<Record<Key, Row>>>> = {
  created: {
    need: begin,
    start: beginAnew,
    restart: beginAnew,
    stop: stopTo('stopped'),
  },
  resting: {
    need: to('replacing'),
    start: replaceAnew,
    restart: replaceAnew,
    stop: stopTo('stopping'),
    ended: to('created'),
  },
  starting: {
    ...CRASHES,
    ready: becomeReady,
    startup: crash('kill'),
    'not-started': crash('none'),
    changed: to('replacing', 'end'),
    replace: to('replacing', 'end'),
    restart: to('replacing', 'end'),
    stop: stopTo('stopping', 'fail', 'end'),
  },
  busy: {
    ...CRASHES,
    quiet: to('quiet'),
    changed: to('draining'),
    replace: to('replacing', 'fail', 'end'),
    restart: to('draining'),
    stop: stopTo('stopping', 'fail', 'end'),
  },
  quiet: {
    ...CRASHES,
    busy: to('busy'),
    idle: to('resting', 'end'),
    changed: to('replacing', 'end'),
    replace: to('replacing', 'end'),
    restart: to('replacing', 'end'),
    stop: stopTo('stopping', 'end'),
  },
  draining: {
    quiet: to('replacing', 'end'),
    drain: to('replacing', 'fail', 'end'),
    replace: to('replacing', 'fail', 'end'),
    gone: to('replacing', 'fail'),
    failed: to('replacing', 'fail', 'kill'),
    stop: stopTo('stopping', 'fail', 'end'),
  },
  replacing: {
    ended: begin,
    'not-started': begin,
    stop: stopTo('stopping'),
  },
  falling: {
    ended: to('backing-off'),
    'not-started': to('backing-off'),
    start: replaceAnew,
    restart: replaceAnew,
    stop: stopTo('stopping'),
  },
  'backing-off': {
    backoff: begin,
    changed: begin,
    start: beginAnew,
    restart: beginAnew,
    stop: stopTo('stopped'),
  },
  stopping: {
    ended: to('stopped'),
    'not-started': to('stopped'),
    start: replaceAnew,
    restart: replaceAnew,
  },
  stopped: {
    start: beginAnew,
    restart: beginAnew,
  },
}

/** Twice for each call of a capsule that is not busy: a spread would be most of what that costs. */
function inPhase({ incarnation, crashes, unready, stoppedBy }: Life, phase: Phase): Life {
  const life = { phase, incarnation, crashes, unready }
  return stoppedBy === undefined ? life : { ...life, stoppedBy }
}

function forgiven(life: Life): Life {
  return { ...life, crashes: [], unready: 0 }
}

function awake({ phase, incarnation, crashes, unready }: Life): Life {
  return { phase, incarnation, crashes, unready }
}
