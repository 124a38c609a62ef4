/** Remembers what was used lately: at least `least` entries, at most twice as many. */
export interface Recent<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
}

// Two maps that take turns: to look for the oldest entry of one, each time, would take longer the more come.
export function createRecent<T>(least: number): Recent<T> {
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  return {
    get: (key) => young.get(key) ?? old.get(key),
    set(key, value) {
      if (young.size >= least && !young.has(key)) {
        old = young
        young = new Map()
      }
      young.set(key, value)
    },
  }
}
