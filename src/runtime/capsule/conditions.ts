/** Promises about something that changes only at known moments. */
export interface Conditions {
  /** Resolves with the first answer. */
  when<T>(ask: () => T | undefined): Promise<T>
  /** Something may have changed: everyone is asked again. */
  check(): void
}

export function createConditions(): Conditions {
  const open = new Set<() => boolean>()
  return {
    when: (ask) =>
      new Promise((resolve) => {
        const isMet = () => {
          const answer = ask()
          if (answer !== undefined) resolve(answer)
          return answer !== undefined
        }
        if (!isMet()) open.add(isMet)
      }),
    check() {
      for (const isMet of open) if (isMet()) open.delete(isMet)
    },
  }
}
