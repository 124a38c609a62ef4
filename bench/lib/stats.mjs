/** The value below which the given share of the sample lies, between neighbours by their distance. */
export function quantile(sample, share) {
  const sorted = [...sample].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]
  const above = sorted[Math.ceil(at)]
  return below + (above - below) * (at - Math.floor(at))
}

export function median(sample) {
  return quantile(sample, 0.5)
}

/** One ratio a round: both sides of it were measured within the same moment. */
export function ratios(sample, floor) {
  return sample.map((value, round) => value / floor[round])
}

export function sums(...samples) {
  return samples[0].map((_, round) => samples.reduce((sum, sample) => sum + sample[round], 0))
}
