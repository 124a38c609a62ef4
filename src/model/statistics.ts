/** What is known from calls and tests of one tool, in one version, carried out in one way. */
export interface ToolStatistics {
  readonly tool: string
  readonly version: string
  /** Of several ways, which; null where there is one. */
  readonly implementation: string | null
  /** Calls, whatever came of them. Tests are counted apart. */
  readonly count: number
  /** Failed calls by reason. */
  readonly errors: Readonly<Record<string, number>>
  /** Of calls that succeeded; null before the first. */
  readonly latency: Latency | null
  readonly bytesIn: number
  readonly bytesOut: number
  /** Milliseconds since 1970. */
  readonly firstAt: number
  readonly lastAt: number
  /**
   * The same counts with old ones fading: half of their weight is gone after a week. Only what tells about the
   * tool: calls that their caller got wrong or took back are in neither number.
   */
  readonly recent: { readonly count: number; readonly errors: number }
  /** Failures since the last success; a caller's mistakes are none. */
  readonly failuresInARow: number
  /** Of the newest run of the tests; null before the first. */
  readonly tests: TestStatistics | null
}

export interface Latency {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

export interface TestStatistics {
  readonly passed: number
  readonly failed: number
  readonly at: number
  /** Of the tests that ran, passed or not. */
  readonly latency: Latency | null
}

/** Whether a failure speaks against the tool, or against what was asked of it. */
export function blamesTool(reason: string): boolean {
  return reason !== 'input' && reason !== 'cancelled' && reason !== 'denied' && reason !== 'not_found'
}
