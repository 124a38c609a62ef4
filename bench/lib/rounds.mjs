import { setTimeout as pause } from 'node:timers/promises'

/**
 * Measures every contender once a round: A B, B A, A B, … so that neither a slow moment of the machine nor
 * the place in the order favours one of them. The first round warms up and is not counted.
 * Returns the figures of each, one a round.
 */
export async function rounds(count, contenders) {
  const names = Object.keys(contenders)
  const figures = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round <= count; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figure = await contenders[name]()
      if (round > 0) figures[name].push(figure)
    }
  }
  return figures
}

/** Milliseconds that the work takes. */
export async function time(work) {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Milliseconds for one of `count` repetitions, each after a pause. */
export async function timeApart(count, pauseMs, work) {
  let spent = 0
  for (let left = count; left > 0; left--) {
    await pause(pauseMs)
    spent += await time(work)
  }
  return spent / count
}

/** Milliseconds for one of `count` repetitions, of which `width` are under way at once. */
export async function timeEach(count, width, work) {
  let left = count
  const worker = async () => {
    while (left-- > 0) await work()
  }
  return (await time(() => Promise.all(Array.from({ length: width }, worker)))) / count
}
