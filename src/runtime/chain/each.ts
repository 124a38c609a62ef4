/** Works on many values, a few at a time; the results stand in the order of the values. */
export async function eachInOrder<T, R>(
  values: readonly T[],
  concurrency: number,
  work: (value: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const rest = values.entries()
  async function worker(): Promise<void> {
    // Workers share the iterator: each takes what nobody has taken yet.
    for (const [index, value] of rest) results[index] = await work(value, index)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, worker))
  return results
}
