/**
 * Mann–Whitney U, two-sided: how likely two sets of samples differ this much in rank when they come from the same
 * source. Exact, ties included, for few samples; by the normal distribution for many.
 */
export function rankTest(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return 1
  const { ranks, ties } = doubledRanks([...a, ...b])
  const sum = ranks.slice(0, a.length).reduce((total, rank) => total + rank, 0)
  return ranks.length <= MOST_EXACT
    ? exactly(ranks, a.length, sum)
    : approximately(a.length, b.length, sum, ties)
}

/** The smallest answer that so many samples can give: below it nothing can be shown with them. */
export function leastChance(a: number, b: number): number {
  if (a === 0 || b === 0) return 1
  return Math.min(1, 2 / choose(a + b, a))
}

const MOST_EXACT = 40

/** Twice the rank of each, so that the mean rank of ties is a whole number, too. */
function doubledRanks(values: readonly number[]): { ranks: number[]; ties: number[] } {
  const order = values.map((value, index) => ({ value, index })).sort((x, y) => x.value - y.value)
  const ranks = values.map(() => 0)
  const ties: number[] = []
  for (let start = 0; start < order.length; ) {
    let end = start
    while (order[end + 1]?.value === order[start]?.value && end + 1 < order.length) end++
    for (const { index } of order.slice(start, end + 1)) ranks[index] = start + end + 2
    ties.push(end - start + 1)
    start = end + 1
  }
  return { ranks, ties }
}

/** Among all ways to pick as many ranks, the share of those at least as far from the middle. */
function exactly(ranks: readonly number[], picked: number, sum: number): number {
  const whole = ranks.reduce((total, rank) => total + rank, 0)
  // ways[n][s]: how many ways there are to pick n ranks with the sum s.
  const ways = Array.from({ length: picked + 1 }, () => new Float64Array(whole + 1))
  const none = ways[0]
  if (none) none[0] = 1
  for (const rank of ranks) {
    for (let count = picked; count >= 1; count--) {
      const [to, from] = [ways[count], ways[count - 1]]
      if (!to || !from) continue
      for (let s = whole; s >= rank; s--) to[s] = (to[s] ?? 0) + (from[s - rank] ?? 0)
    }
  }
  const middle = (whole * picked) / ranks.length
  const distance = Math.abs(sum - middle) - 1e-9
  let all = 0
  let extreme = 0
  ways[picked]?.forEach((count, s) => {
    all += count
    if (Math.abs(s - middle) >= distance) extreme += count
  })
  return Math.min(1, extreme / all)
}

function approximately(a: number, b: number, doubledSum: number, ties: readonly number[]): number {
  const n = a + b
  const u = doubledSum / 2 - (a * (a + 1)) / 2
  const tied = ties.reduce((total, size) => total + (size ** 3 - size), 0)
  const variance = ((a * b) / 12) * (n + 1 - tied / (n * (n - 1)))
  if (variance <= 0) return 1
  // Half a rank less: ranks come in steps, the curve does not.
  const z = Math.max(0, Math.abs(u - (a * b) / 2) - 0.5) / Math.sqrt(variance)
  return Math.min(1, 2 * beyond(z))
}

/** The share of the normal distribution above z >= 0, to about 1e-7 (Abramowitz and Stegun, 26.2.17). */
function beyond(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series
}

function choose(n: number, k: number): number {
  let result = 1
  for (let i = 1; i <= Math.min(k, n - k); i++) result = (result * (n - i + 1)) / i
  return result
}
