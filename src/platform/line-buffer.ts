/** Lines put together as bytes, in a room that is used again: what is written often leaves nothing to collect. */
export interface LineBuffer {
  /** How many bytes there are. */
  size(): number
  text(text: string): void
  /** All bytes, with place for so many more behind those there are; who put some there tells with `reach`. */
  room(more: number): Uint8Array
  /** So many bytes there are now. */
  reach(size: number): void
  /** Writes what follows a place in another way. */
  rewrite(from: number, change: (text: string) => string): void
  /** Hands over what there is and begins anew. `use` says whether it is through with the bytes when it returns. */
  empty(use: (bytes: Uint8Array) => boolean): void
}

/** Of one character in UTF-8, by the length of its string. */
const MOST_BYTES = 3

/** `usualSize`: how much it has room for without growing. */
export function createLineBuffer(usualSize: number): LineBuffer {
  let room = Buffer.allocUnsafeSlow(usualSize)
  let end = 0

  function reserve(more: number): void {
    if (end + more <= room.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * room.length, end + more))
    room.copy(larger, 0, 0, end)
    room = larger
  }

  function text(written: string): void {
    reserve(written.length * MOST_BYTES)
    end += room.write(written, end)
  }

  return {
    size: () => end,
    text,
    room(more) {
      reserve(more)
      return room
    },
    reach(size) {
      end = size
    },
    rewrite(from, change) {
      const changed = change(room.toString('utf8', from, end))
      end = from
      text(changed)
    },
    empty(use) {
      const isFree = use(room.subarray(0, end))
      end = 0
      if (!isFree || room.length > usualSize) room = Buffer.allocUnsafeSlow(usualSize)
    },
  }
}
