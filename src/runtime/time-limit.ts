import type { Job } from './executor.ts'

/** How long something may take: what it says itself or what is usual, and never more than anyone may. 0 for no limit. */
export function timeLimit(
  { timeoutMs }: { readonly timeoutMs?: number | undefined },
  job: Pick<Job, 'timeoutMs' | 'mostMs'>,
): number {
  return shortest(timeoutMs ?? job.timeoutMs, job.mostMs)
}

/** The shortest of these times; 0 and nothing mean none, as everywhere. */
export function shortest(...times: readonly (number | null | undefined)[]): number {
  const set = times.filter((ms): ms is number => typeof ms === 'number' && ms > 0)
  const least = Math.min(...set)
  return least === Number.POSITIVE_INFINITY ? 0 : least
}
