import type { Call, CallResult, Measurement, Tool } from '../model/index.ts'
import type { Outcome } from './executor.ts'

export interface Stopwatch {
  queue(): void
  run(): void
  queuedMs(): number
  ranMs(): number
}

/** Waiting in the queue does not count as running. */
export function createStopwatch(): Stopwatch {
  let queued = performance.now()
  let started = queued
  return {
    queue() {
      queued = performance.now()
    },
    run() {
      started = performance.now()
    },
    queuedMs: () => Math.max(0, started - queued),
    ranMs: () => performance.now() - started,
  }
}

export function measure(
  call: Call,
  tool: Tool,
  outcome: Outcome,
  result: CallResult,
  queuedMs: number,
): Measurement {
  const { exitCode, bytesIn, bytesOut, usage, confinement, implementation, passedOver } = outcome
  const measured: { -readonly [K in keyof Measurement]: Measurement[K] } = {
    tool: tool.name,
    version: tool.version,
    ms: result.ms,
    queuedMs,
    success: result.ok,
    exitCode,
    bytesIn,
    bytesOut,
    caller: call.caller,
  }
  // Added, not spread: what is put together from parts is of a kind of its own each time, and slow for all who read it.
  if (!result.ok) {
    measured.reason = result.reason
    measured.message = result.message
  }
  if (usage !== undefined) measured.usage = usage
  if (confinement !== undefined) measured.confinement = confinement
  if (implementation !== undefined) measured.implementation = implementation
  if (passedOver !== undefined) measured.passedOver = passedOver
  return measured
}

export function measureUnknown({ name, caller }: Call, message: string): Measurement {
  return {
    tool: shortName(name),
    version: '',
    ms: 0,
    queuedMs: 0,
    success: false,
    reason: 'not_found',
    message,
    exitCode: null,
    bytesIn: 0,
    bytesOut: 0,
    caller,
  }
}

/** No tool has a longer name, but a caller may write anything. */
export function shortName(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name
}
