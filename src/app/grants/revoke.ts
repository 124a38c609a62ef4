import { type Grant, OrlaError } from '../../model/index.ts'
import { type ConfigRequest, locateProject } from '../config.ts'
import type { World } from '../world.ts'
import { type GrantBook, openGrants } from './book.ts'
import { nameOf, nothingAbout } from './wanted.ts'

export interface RevokeReport {
  readonly name: string
  readonly version: string
  readonly taken: readonly string[]
  /** null when nothing of it may run any more. */
  readonly left: readonly string[] | null
}

/** `orla revoke NAME[@vVERSION] [WORD…]`: of every version unless one is named. Servers that run obey at once. */
export async function revokeGrants(
  world: World,
  request: ConfigRequest,
  [written = '', ...words]: readonly string[],
): Promise<RevokeReport[]> {
  const book = openGrants(locateProject(world, request).home)
  const wanted = nameOf(written)
  const isMeant = (grant: Grant) =>
    grant.name === wanted.name && (wanted.version === undefined || grant.version === wanted.version)
  checkGranted(book, isMeant, wanted.name, words)
  const reports: RevokeReport[] = []
  await book.change((grant) => {
    if (!isMeant(grant)) return grant
    const { name, version, permissions } = grant
    const left = words.length === 0 ? null : permissions.filter((word) => !words.includes(word))
    const taken = permissions.filter((word) => left === null || !left.includes(word))
    if (left !== null && taken.length === 0) return grant
    reports.push({ name, version, taken, left })
    return left === null ? undefined : { ...grant, permissions: left }
  })
  return reports
}

function checkGranted(
  book: GrantBook,
  isMeant: (grant: Grant) => boolean,
  name: string,
  words: readonly string[],
): void {
  const meant = book.all().filter(isMeant)
  if (meant.length === 0) {
    throw nothingAbout(
      name,
      book.all().map((grant) => grant.name),
    )
  }
  const granted = [...new Set(meant.flatMap(({ permissions }) => permissions))]
  for (const word of words) {
    if (granted.includes(word)) continue
    throw new OrlaError('E_NOT_FOUND', `${JSON.stringify(word)} is not granted to ${name}`, {
      hint: granted.length === 0 ? 'no word is' : `granted: ${granted.join(', ')}`,
    })
  }
}
