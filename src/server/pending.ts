/** Counts what is still to be answered, and tells when nothing is. */
export interface Pending {
  begin(): void
  end(): void
  idle(): Promise<void>
}

export function createPending(): Pending {
  let count = 0
  let waiting: (() => void)[] = []
  return {
    begin() {
      count++
    },
    end() {
      count--
      if (count > 0) return
      for (const resolve of waiting) resolve()
      waiting = []
    },
    idle: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}
