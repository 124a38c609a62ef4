import { createHash } from 'node:crypto'
import { OrlaError } from '../model/index.ts'

const LONGEST = 64
const HASH = 8

/** Names that model APIs take: letters, digits, `_` and `-`, up to 64 of them. Two tools never share one. */
export function safeNames(names: readonly string[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const safe = new Map<string, string>()
  for (const name of names) {
    const wanted = safeName(name)
    const other = owners.get(wanted)
    if (other !== undefined) {
      throw new OrlaError('E_REFUSED', `\`${other}\` and \`${name}\` would both be called \`${wanted}\``, {
        hint: 'rename or remove one of them; --format mcp keeps the names as they are',
      })
    }
    owners.set(wanted, name)
    safe.set(name, wanted)
  }
  return safe
}

/** A long name keeps its beginning, and a mark of the rest that is the same every time. */
function safeName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_')
  if (plain.length <= LONGEST) return plain
  const mark = createHash('sha256').update(name).digest('hex').slice(0, HASH)
  return `${plain.slice(0, LONGEST - HASH - 1)}_${mark}`
}
