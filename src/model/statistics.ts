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
  readonly latency: { readonly p50Ms: number; readonly p95Ms: number; readonly p99Ms: number } | null
  readonly bytesIn: number
  readonly bytesOut: number
  /** Milliseconds since 1970. */
  readonly firstAt: number
  readonly lastAt: number
  /** The same counts with old ones fading: half of their weight is gone after a week. */
  readonly recent: { readonly count: number; readonly errors: number }
  /** Failures since the last success. */
  readonly failuresInARow: number
  /** Of the newest run of the tests; null before the first. */
  readonly tests: { readonly passed: number; readonly failed: number; readonly at: number } | null
}
