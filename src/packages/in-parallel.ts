const AT_ONCE = 4

/** Results in the order of the inputs. The first failure ends it once those under way are done. */
export async function inParallel<I, O>(
  inputs: readonly I[],
  work: (input: I) => Promise<O>,
  atOnce = AT_ONCE,
): Promise<O[]> {
  const results: O[] = []
  let next = 0
  let failed = false
  const worker = async () => {
    for (let index = next++; index < inputs.length && !failed; index = next++) {
      try {
        results[index] = await work(inputs[index] as I) // below the length
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, inputs.length) }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return results
}
