import { parseLock } from '../../formats/index.ts'
import type { LockEntry, Receipt } from '../../model/index.ts'
import { markFile, readTextIfThere } from '../../platform/index.ts'

/** What locks say of packages. */
export interface Locked {
  of(receipt: Receipt): LockEntry | undefined
  /** Another one whenever they may say something else. Undefined when one changed so lately that nobody could tell. */
  mark(): string | undefined
}

type Entries = ReadonlyMap<string, LockEntry>

/** Reads locks: each file once, however many packages are in it. The first of them that has the package counts. */
export function createLockReader(): (files: readonly string[]) => Locked {
  const known = new Map<string, { readonly text: string | undefined; readonly entries: Entries }>()

  function entriesIn(file: string): Entries {
    const text = readLockText(file)
    const before = known.get(file)
    if (before !== undefined && before.text === text) return before.entries
    const entries = entriesOf(text, file)
    known.set(file, { text, entries })
    return entries
  }

  return (files) => {
    let all: readonly Entries[] | undefined
    let marks: readonly (string | undefined)[] | undefined
    return {
      of({ name, version }) {
        all ??= files.map(entriesIn)
        const key = `${name} ${version}`
        return all.find((entries) => entries.has(key))?.get(key)
      },
      mark() {
        marks ??= files.map(markFile)
        return marks.includes(undefined) ? undefined : marks.join()
      },
    }
  }
}

/** One that is damaged is told by the commands that need it; here it says nothing. */
function entriesOf(text: string | undefined, file: string): Entries {
  if (text === undefined) return new Map()
  try {
    return new Map(parseLock(text, file).packages.map((entry) => [`${entry.name} ${entry.version}`, entry]))
  } catch {
    return new Map()
  }
}

function readLockText(file: string): string | undefined {
  try {
    return readTextIfThere(file)
  } catch {
    return undefined
  }
}
