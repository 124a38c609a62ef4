/** How the files that are there differ from those of a listing. */
export interface ListingDifference {
  readonly changed: readonly string[]
  readonly added: readonly string[]
  readonly missing: readonly string[]
}

/** Two content listings against each other, file by file. */
export function compareListing(before: string, now: string): ListingDifference {
  const [old, current] = [linesOf(before), linesOf(now)]
  const changed = [...old].filter(([path, line]) => current.has(path) && current.get(path) !== line)
  return {
    changed: changed.map(([path]) => path),
    added: [...current.keys()].filter((path) => !old.has(path)),
    missing: [...old.keys()].filter((path) => !current.has(path)),
  }
}

/** `SHA256 SIZE KIND "PATH"`, by path; the first three lines are the format, the name and the version. */
function linesOf(listing: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const line of listing.split('\n').slice(3)) {
    const [, rest = '', path = ''] = /^([0-9a-f]{64} \d+ [x\-l]) (".*")$/.exec(line) ?? []
    const read = readPath(path)
    if (read !== undefined) found.set(read, rest)
  }
  return found
}

function readPath(quoted: string): string | undefined {
  try {
    const path: unknown = JSON.parse(quoted)
    return typeof path === 'string' ? path : undefined
  } catch {
    return undefined // an empty last line, or a listing of someone else
  }
}
