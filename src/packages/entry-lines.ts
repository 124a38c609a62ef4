import { numbersAt } from '../formats/index.ts'
import { isJsonObject, type RegistryEntry } from '../model/index.ts'

/** One entry a line, and where each line begins and the last one ends. */
export function entriesToLines(entries: readonly RegistryEntry[]): {
  readonly places: Buffer
  readonly lines: Buffer
} {
  const lines = entries.map((entry) => Buffer.from(`${JSON.stringify(entry)}\n`))
  const places = new Uint32Array(lines.length + 1)
  lines.forEach((line, at) => {
    places[at + 1] = (places[at] ?? 0) + line.length
  })
  return { places: Buffer.from(places.buffer), lines: Buffer.concat(lines) }
}

/** How many bytes the places take. */
export function placesOfLines(documents: number): number {
  return 4 * (documents + 1)
}

/** What is wanted next often lies near: so many bytes are read at once then. */
const NEAR = 16_384

/** Entries out of their lines, which lie behind their places. What `damaged` makes is thrown of one that is not whole. */
export function entriesFromLines(
  read: (from: number, length: number) => Buffer,
  { documents, entryBytes }: { readonly documents: number; readonly entryBytes: number },
  damaged: (error: unknown) => Error,
): (number: number) => RegistryEntry {
  const linesAt = placesOfLines(documents)
  let places: Uint32Array | undefined
  let begin = 0
  let bytes: Buffer = Buffer.alloc(0)
  const line = (from: number, to: number): string => {
    if (from > to || to > entryBytes) throw new RangeError('there is no such line')
    if (from < begin || to > begin + bytes.length) {
      const isNear = from >= begin && from < begin + NEAR
      const length = isNear ? Math.max(to - from, Math.min(NEAR, entryBytes - from)) : to - from
      bytes = read(linesAt + from, length)
      begin = from
    }
    return bytes.toString('utf8', from - begin, to - begin)
  }
  return (number) => {
    try {
      places ??= numbersAt(read(0, linesAt), 0, documents + 1)
      return entryOf(JSON.parse(line(places[number] ?? 0, places[number + 1] ?? 0)))
    } catch (error) {
      throw damaged(error)
    }
  }
}

function entryOf(kept: unknown): RegistryEntry {
  if (!isJsonObject(kept)) throw new TypeError('it is no entry')
  const { name, description, repository, keywords, capabilities, platforms } = kept
  const isWhole =
    typeof name === 'string' &&
    typeof description === 'string' &&
    typeof repository === 'string' &&
    isTexts(keywords) &&
    isTexts(capabilities) &&
    isTexts(platforms)
  if (!isWhole) throw new TypeError('it is no entry')
  return kept as unknown as RegistryEntry // as it was kept, and what is always used is there
}

function isTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((text) => typeof text === 'string')
}
