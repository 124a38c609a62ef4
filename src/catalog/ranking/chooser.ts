import {
  blamesTool,
  type Candidate,
  type Measurement,
  type Tool,
  type ToolStatistics,
} from '../../model/index.ts'
import { type Learned, learnFailure, learnSuccess, startFrom } from './learned.ts'
import { type ChoiceSettings, orderImplementations } from './order.ts'

/** Decides at each call which implementation of a tool is tried first. */
export interface Chooser {
  readonly order: (tool: Tool, candidates: readonly Candidate[]) => readonly Candidate[]
  /** What came of a call. */
  readonly heard: (measurement: Measurement) => void
}

interface Deps {
  readonly settings: () => ChoiceSettings
  /** What is known from before. Read once, with the first call of a tool that has several implementations. */
  readonly history: () => readonly ToolStatistics[]
  readonly now?: () => number
  /** From 0 up to 1. */
  readonly random?: () => number
}

/** One that was called more often is known well enough. */
const THIN_EVIDENCE = 20

/** A tool, and what is known of its implementations by their ids. */
interface Ways {
  readonly version: string
  readonly learned: Map<string, Learned>
}

export function createChooser({ settings, history, now = Date.now, random = Math.random }: Deps): Chooser {
  const tools = new Map<string, Ways>()
  let before: readonly ToolStatistics[] | undefined

  function waysOf({ name, version }: Pick<Tool, 'name' | 'version'>): Ways {
    const known = tools.get(name)
    if (known?.version === version) return known
    before ??= history()
    const learned = new Map<string, Learned>()
    for (const one of before) {
      if (one.tool === name && one.version === version && one.implementation !== null)
        learned.set(one.implementation, startFrom(one))
    }
    const ways = { version, learned }
    tools.set(name, ways)
    return ways
  }

  function learn({ learned }: Ways, id: string): Learned {
    const known = learned.get(id) ?? startFrom(undefined)
    learned.set(id, known)
    return known
  }

  return {
    order(tool, candidates) {
      if (candidates.length < 2) return candidates
      const { choose, explore, coolDownMs } = settings()
      if (choose === 'off') return candidates
      const ways = waysOf(tool)
      const ordered = orderImplementations(candidates, ({ id }) => ways.learned.get(id), coolDownMs, now())
      const order = ordered.map(({ one }) => one)
      if (ordered[0]?.isRetry) {
        learn(ways, ordered[0].one.id).retriedAt = now()
        return order
      }
      if (explore <= 0 || 100 * random() >= explore) return order
      const thin = ordered.find(({ one, coolingUntil }, place) => {
        const known = ways.learned.get(one.id)
        const isFailing = (known?.failuresInARow ?? 0) > 0
        return place > 0 && coolingUntil === null && !isFailing && (known?.recent.count ?? 0) < THIN_EVIDENCE
      })?.one
      return thin === undefined ? order : [thin, ...order.filter((one) => one !== thin)]
    },
    heard({ tool, version, implementation, reason, ms, passedOver }) {
      // Only of tools that were ordered here: all others have one way.
      const ways = tools.get(tool)
      if (ways?.version !== version) return
      for (const one of passedOver ?? []) {
        // When none could start, the last one is also the one that failed.
        if (one.implementation !== implementation) learnFailure(learn(ways, one.implementation), now())
      }
      if (implementation === undefined) return
      if (reason === undefined) learnSuccess(learn(ways, implementation), ms)
      else if (blamesTool(reason)) learnFailure(learn(ways, implementation), now())
    },
  }
}
