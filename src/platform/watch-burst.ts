/**
 * The system drops events once its queue is full, and libuv keeps the word of that to itself. All that waits is told in
 * one turn of the event loop, so a turn that tells very much may have lost some.
 */
const BURST = 1_000

let heard = 0
let bursts = 0

/** To be called for each event of each watch of this process: they share one queue. */
export function countEvent(): void {
  heard++
  if (heard === 1) setImmediate(endTurn)
  if (heard === BURST) bursts++
}

/** How many turns told so much that more may have happened. */
export function burstsSoFar(): number {
  return bursts
}

/** A queue that holds no more than this would be full unnoticed. */
export const SHORTEST_QUEUE = 2 * BURST

function endTurn(): void {
  heard = 0
}
