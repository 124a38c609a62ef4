/** A line of people waiting: join at the end, leave from anywhere, all in constant time. */
export interface Line<T> {
  join(value: T): Place<T>
  leave(place: Place<T>): void
  first(): Place<T> | undefined
}

export interface Place<T> {
  readonly value: T
  before: Place<T> | undefined
  behind: Place<T> | undefined
}

export function createLine<T>(): Line<T> {
  let head: Place<T> | undefined
  let tail: Place<T> | undefined
  return {
    join(value) {
      const place: Place<T> = { value, before: tail, behind: undefined }
      if (tail === undefined) head = place
      else tail.behind = place
      tail = place
      return place
    },
    leave(place) {
      if (place.before === undefined) head = place.behind
      else place.before.behind = place.behind
      if (place.behind === undefined) tail = place.before
      else place.behind.before = place.before
    },
    first: () => head,
  }
}
