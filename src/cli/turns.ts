/** Works that must not overlap: each begins when the one before has ended. After one that failed none begins. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine
    return mine
  }
}
