/** One race, one winner: the first cause stays, later ones are too late. */
export interface Race<Cause> {
  /** True for the winner only. */
  win(cause: Cause): boolean
  readonly over: Promise<Cause>
}

export function createRace<Cause>(): Race<Cause> {
  let resolve: (cause: Cause) => void = () => {}
  let won = false
  const over = new Promise<Cause>((settle) => {
    resolve = settle
  })
  return {
    over,
    win(cause) {
      if (won) return false
      won = true
      resolve(cause)
      return true
    },
  }
}
