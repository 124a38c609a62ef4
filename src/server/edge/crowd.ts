/**
 * Who is there just now, in no order. A Set that thousands pass through a second makes a new table again and again, and
 * each old table holds on to the next and to everyone in it until the whole heap is searched for garbage.
 */
export interface Crowd<T extends Standing> {
  readonly size: number
  join(member: T): void
  /** Does nothing for who is not there. */
  leave(member: T): void
  has(member: T): boolean
  /** As they stand at this moment. */
  all(): readonly T[]
}

/** Where a member stands is written at the member itself, so it stands in one crowd only. */
export interface Standing {
  place?: number | undefined
}

export function createCrowd<T extends Standing>(): Crowd<T> {
  const members: T[] = []
  const has = (member: T) => member.place !== undefined
  return {
    get size() {
      return members.length
    },
    join(member) {
      if (has(member)) return
      member.place = members.length
      members.push(member)
    },
    leave(member) {
      const { place } = member
      if (place === undefined) return
      member.place = undefined
      const last = members.pop()
      if (last === undefined || last === member) return
      last.place = place
      members[place] = last
    },
    has,
    all: () => [...members],
  }
}
