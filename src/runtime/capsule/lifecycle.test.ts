import { describe, expect, it } from 'vitest'
import { type Effect, type Life, type LifeEvent, NEW_LIFE, PHASES, type Phase, step } from './lifecycle.ts'

const LIMIT = 3
const WINDOW = 100

/** A state of the world: the capsule as the table sees it, and how far its process really is. */
interface World {
  readonly life: Life
  readonly process: keyof typeof PROCESS
  /** The time, in units that let crashes be inside or outside the window. */
  readonly now: number
}

const PLAIN: readonly LifeEvent[] = [
  { kind: 'need' },
  { kind: 'start' },
  { kind: 'stop' },
  { kind: 'restart' },
  { kind: 'changed' },
  { kind: 'replace' },
  { kind: 'busy' },
  { kind: 'quiet' },
]
/** What a process can do, and where that leads. */
const PROCESS = {
  none: {},
  opening: { 'not-started': 'none' },
  running: { ready: 'running', failed: 'running', gone: 'gone' },
  gone: { ended: 'none' },
} as const
const OF_PROCESS = ['not-started', 'ready', 'failed', 'gone', 'ended'] as const

/** Every event the world can bring: what its process may do, whatever an old one may, and the timer of the phase. */
function eventsIn({ life, process }: World): LifeEvent[] {
  const { timer } = PHASES[life.phase]
  const now = OF_PROCESS.filter((kind) => kind in PROCESS[process])
  return [
    ...PLAIN,
    ...(timer === undefined ? [] : [{ kind: 'timer', timer } as const]),
    ...OF_PROCESS.map((kind) => ({ kind, incarnation: life.incarnation - 1 })),
    ...now.map((kind) => ({ kind, incarnation: life.incarnation })),
  ]
}

function processAfter({ life, process }: World, event: LifeEvent): World['process'] {
  if (!('incarnation' in event) || event.incarnation !== life.incarnation) return process
  const next: Partial<Record<LifeEvent['kind'], World['process']>> = PROCESS[process]
  return next[event.kind] ?? process
}

interface Transition {
  readonly from: World
  readonly event: LifeEvent
  readonly to: World
  readonly effects: readonly Effect[]
}

/** All that can be reached, from a new capsule, whatever happens. */
function walk(): Transition[] {
  const transitions: Transition[] = []
  const seen = new Set<string>()
  const open: World[] = []
  const visit = (world: World) => {
    const key = keyOf(world)
    if (!seen.has(key)) open.push(world)
    seen.add(key)
  }
  visit({ life: NEW_LIFE, process: 'none', now: 0 })
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    // That it runs is nothing the table hears of.
    if (from.process === 'opening') visit({ ...from, process: 'running' })
    for (const event of eventsIn(from)) {
      for (const later of [1, 2 * WINDOW]) {
        const now = from.now + later
        const { life, effects } = step(from.life, event, { at: now, limit: LIMIT, windowMs: WINDOW })
        const process = effects.includes('start') ? 'opening' : processAfter(from, event)
        const to: World = { life, process, now }
        transitions.push({ from, event, to, effects })
        visit(to)
      }
    }
  }
  return transitions
}

/** Two worlds with the same key have the same future. */
function keyOf({ life, process, now }: World): string {
  const ages = life.crashes.map((time) => (now - time < WINDOW ? 'recent' : 'old'))
  return JSON.stringify([life.phase, ages, life.unready, life.stoppedBy, process])
}

describe('the life of a capsule', () => {
  const transitions = walk()
  const show = ({ from, event, to, effects }: Transition) =>
    `${from.life.phase} --${JSON.stringify(event)}--> ${to.life.phase} ${effects.join(' ')}`
  const none = (wrong: (transition: Transition) => boolean) =>
    expect(transitions.filter(wrong).map(show)).toEqual([])

  it('Q68: reaches all six states and every phase', () => {
    const phases = new Set(transitions.map(({ to }) => to.life.phase))
    expect([...phases].sort()).toEqual(Object.keys(PHASES).sort())
    const states = new Set([...phases].map((phase) => PHASES[phase].state))
    expect([...states].sort()).toEqual(['CRASHED', 'CREATED', 'READY', 'RELOADING', 'STARTING', 'STOPPED'])
  })

  it('Q69: never has two processes', () => {
    none(({ from, event, effects }) => effects.includes('start') && processAfter(from, event) !== 'none')
    none(({ effects }) => effects.filter((effect) => effect === 'start').length > 1)
  })

  it('knows whether there is a process', () => {
    none(({ to }) => PHASES[to.life.phase].hasProcess !== (to.process !== 'none'))
  })

  it('Q69: lets calls through only when it becomes READY', () => {
    none(({ to, effects }) => effects.includes('release') && PHASES[to.life.phase].state !== 'READY')
    none(
      ({ from, to, effects }) =>
        PHASES[from.life.phase].state !== 'READY' &&
        PHASES[to.life.phase].state === 'READY' &&
        !effects.includes('release'),
    )
  })

  it('Q69: fails the calls in flight before their process is taken away', () => {
    none(
      ({ from, to, effects }) =>
        (from.life.phase === 'busy' || from.life.phase === 'draining') &&
        !['busy', 'draining', 'quiet'].includes(to.life.phase) &&
        // Nothing is in flight any more when the last one has left.
        !(from.life.phase === 'draining' && effects.join() === 'end') &&
        !effects.includes('fail'),
    )
  })

  it('refuses who waits whenever it stops, and only then', () => {
    none(({ from, to, effects }) => {
      const stops = PHASES[from.life.phase].state !== 'STOPPED' && PHASES[to.life.phase].state === 'STOPPED'
      return stops !== effects.includes('refuse')
    })
  })

  it('asks or kills a process whenever it has to go', () => {
    const leaving: readonly Phase[] = ['resting', 'replacing', 'falling', 'stopping']
    none(
      ({ from, to, event, effects }) =>
        leaving.includes(to.life.phase) &&
        !leaving.includes(from.life.phase) &&
        event.kind !== 'gone' &&
        !effects.includes('end') &&
        !effects.includes('kill'),
    )
    none(
      ({ from, effects }) =>
        effects.some((effect) => effect === 'end' || effect === 'kill') && from.process === 'none',
    )
  })

  it('drops what comes late from an old process', () => {
    none(
      ({ from, event, to, effects }) =>
        'incarnation' in event &&
        event.incarnation !== from.life.incarnation &&
        (to.life !== from.life || effects.length > 0),
    )
  })

  it('has at most one timer in a phase, and leaves the phase when it rings', () => {
    none(({ from, event, to }) => event.kind === 'timer' && to.life.phase === from.life.phase)
  })

  it('can leave every state', () => {
    for (const phase of Object.keys(PHASES)) {
      const exits = transitions.filter(({ from, to }) => from.life.phase === phase && to.life.phase !== phase)
      expect(exits, phase).not.toEqual([])
    }
  })

  it('Q80: counts exits and failures of a running process, and nothing else', () => {
    none(({ event, from, to }) => {
      const counted = to.life.unready > from.life.unready
      const isCrash =
        ['failed', 'gone', 'ended', 'not-started'].includes(event.kind) ||
        (event.kind === 'timer' && event.timer === 'startup')
      return counted && !isCrash
    })
    none(
      ({ from, event, to }) =>
        event.kind === 'gone' &&
        event.incarnation === from.life.incarnation &&
        ['starting', 'busy', 'quiet'].includes(from.life.phase) &&
        !['CRASHED', 'STOPPED'].includes(PHASES[to.life.phase].state),
    )
  })

  it('Q82: stops by itself exactly at the limit', () => {
    none(({ to }) => {
      const isStopped = to.life.stoppedBy === 'limit'
      const isBeyond = Math.max(to.life.crashes.length, to.life.unready) >= LIMIT
      return isStopped !== isBeyond && to.life.stoppedBy !== 'command'
    })
  })

  it('Q82: leaves STOPPED only by command', () => {
    none(
      ({ from, event, to }) =>
        PHASES[from.life.phase].state === 'STOPPED' &&
        PHASES[to.life.phase].state !== 'STOPPED' &&
        event.kind !== 'start' &&
        event.kind !== 'restart',
    )
  })

  it('forgets crashes outside the window, but not those before it was ready', () => {
    const crash = (life: Life, at: number) => {
      const moment = { at, limit: LIMIT, windowMs: WINDOW }
      const gone = step(life, { kind: 'gone', incarnation: life.incarnation }, moment).life
      const ended = step(gone, { kind: 'ended', incarnation: life.incarnation }, moment).life
      return step(ended, { kind: 'timer', timer: 'backoff' }, moment).life
    }
    const moment = { at: 0, limit: LIMIT, windowMs: WINDOW }
    const ready = (life: Life) => step(life, { kind: 'ready', incarnation: life.incarnation }, moment).life
    const first = step(NEW_LIFE, { kind: 'need' }, moment).life
    const often = [0, 200, 400, 600].reduce((life, at) => crash(ready(life), at), first)
    expect([often.phase, often.crashes]).toEqual(['starting', [600]])
    const never = [0, 200, 400].reduce((life, at) => crash(life, at), first)
    expect([never.phase, never.stoppedBy]).toEqual(['stopped', 'limit'])
  })
})
