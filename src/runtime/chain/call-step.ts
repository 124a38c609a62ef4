import { setTimeout as pause } from 'node:timers/promises'
import {
  type CallResult,
  type ChainStep,
  type FailureReason,
  type Json,
  type JsonObject,
  OrlaError,
  type Output,
} from '../../model/index.ts'
import type { Memory } from './memory.ts'
import type { Places } from './places.ts'

/** What a step gave. A step that ran once for each of several values has no single output. */
export interface Given {
  readonly value: Json
  readonly output?: Output
}

export type StepResult =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly reason: FailureReason; readonly message: string; readonly output: Output }

interface Deps {
  readonly places: Places
  readonly memory: Memory
  readonly digestOf: (tool: string) => string | undefined
  readonly call: (step: ChainStep, args: JsonObject, signal: AbortSignal) => Promise<CallResult>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** Failures that would be the same again. */
const FINAL: readonly FailureReason[] = ['cancelled', 'input', 'denied']
const CANCELLED: StepResult = {
  ok: false,
  reason: 'cancelled',
  message: 'it was cancelled',
  output: { kind: 'none' },
}

/** Calls the tool of a step: remembers what may be remembered, tries again what may be tried again. */
export function createStepCaller({ places, memory, digestOf, call }: Deps) {
  async function attempt(step: ChainStep, args: JsonObject, signal: AbortSignal): Promise<StepResult> {
    const leave = await places.take(signal)
    if (leave === 'cancelled') return CANCELLED
    try {
      return await call(step, args, signal)
    } catch (error) {
      if (!(error instanceof OrlaError) || error.code !== 'E_TOOL_NOT_FOUND') throw error
      return { ok: false, reason: 'spawn', message: error.message, output: { kind: 'none' } }
    } finally {
      leave()
    }
  }

  async function attempts(step: ChainStep, args: JsonObject, signal: AbortSignal): Promise<StepResult> {
    for (let left = step.retry, pauseMs = FIRST_PAUSE_MS; ; left--, pauseMs *= 2) {
      const result = await attempt(step, args, signal)
      if (result.ok || left === 0 || FINAL.includes(result.reason)) return result
      await pause(Math.min(pauseMs, LONGEST_PAUSE_MS), undefined, { signal }).catch(() => {})
      if (signal.aborted) return CANCELLED
    }
  }

  return async (step: ChainStep, args: JsonObject, signal: AbortSignal): Promise<StepResult> => {
    const digest = step.cache && digestOf(step.tool)
    if (step.cache === undefined || digest === undefined) return attempts(step, args, signal)
    const key = JSON.stringify([digest, args])
    const known = memory.recall(key, step.cache.ttlMs)
    if (known !== undefined) return { ok: true, output: known }
    const result = await attempts(step, args, signal)
    if (result.ok) memory.keep(key, result.output)
    return result
  }
}
