import fc from 'fast-check'

/**
 * Holds a property on one input after the other for so many seconds, and longer if it has not met enough by then.
 * What has begun is always waited for: fast-check's own limit of time leaves it running beside what comes next.
 */
export async function checkFor<T>(
  seconds: number,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => Promise<void>,
  { until, runs }: { readonly until: () => boolean; readonly runs: number },
): Promise<void> {
  const end = performance.now() + seconds * 1_000
  const property = fc.asyncProperty(inputs, async (input) => {
    if (performance.now() < end || !until()) await check(input)
  })
  await fc.assert(property, { numRuns: runs, endOnFailure: true })
}
