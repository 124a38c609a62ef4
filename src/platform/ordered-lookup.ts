/**
 * Finds keys in a list, by index, -1 for none. Quick when they are asked for in the order they stand in:
 * only the first that is not where it is expected makes it build an index.
 */
export function createOrderedLookup(
  length: number,
  keyAt: (index: number) => string | undefined,
): (key: string) => number {
  let next = 0
  let byKey: Map<string | undefined, number> | undefined
  return (key) => {
    if (length === 0) return -1
    if (keyAt(next) === key) return next++
    if (byKey === undefined) {
      byKey = new Map()
      for (let index = 0; index < length; index++) byKey.set(keyAt(index), index)
    }
    const found = byKey.get(key) ?? -1
    if (found >= 0) next = found + 1
    return found
  }
}
