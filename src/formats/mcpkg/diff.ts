import { isJsonObject, type Json } from '../../model/index.ts'
import { compare } from './compare.ts'

/** One line of two values laid beside each other, for whoever draws it. */
export interface DiffLine {
  /** Of both, only expected, only found, or a place where lines were left out. */
  readonly side: 'both' | 'expected' | 'found' | 'gap'
  readonly depth: number
  readonly text: string
}

const MAX_LINES = 200
const MAX_TEXT = 200
const MAX_DEPTH = 32

/**
 * Where a result differs from what was expected of it, by the rule of `expected`: what a map holds beyond it
 * is no difference and is left out. Empty when nothing differs.
 */
export function diffLines(expected: Json, found: Json): readonly DiffLine[] {
  if (compare(expected, found).length === 0) return []
  const lines: DiffLine[] = []
  walk(expected, found, '', 0, lines)
  if (lines.length <= MAX_LINES) return lines
  const text = `${lines.length - MAX_LINES} more lines`
  return [...lines.slice(0, MAX_LINES), { side: 'gap', depth: 0, text }]
}

function walk(
  expected: Json,
  found: Json | undefined,
  label: string,
  depth: number,
  lines: DiffLine[],
): void {
  if (found !== undefined && compare(expected, found).length === 0) {
    lines.push({ side: 'both', depth, text: label + written(expected) })
    return
  }
  const isOpen = depth < MAX_DEPTH && found !== undefined
  if (isOpen && Array.isArray(expected) && Array.isArray(found))
    walkList(expected, found, label, depth, lines)
  else if (isOpen && isJsonObject(expected) && isJsonObject(found)) {
    lines.push({ side: 'both', depth, text: `${label}{` })
    for (const [key, element] of Object.entries(expected)) {
      const other = Object.hasOwn(found, key) ? found[key] : undefined
      walk(element, other, `${JSON.stringify(key)}: `, depth + 1, lines)
    }
    const extra = Object.keys(found).filter((key) => !Object.hasOwn(expected, key)).length
    if (extra > 0)
      lines.push({ side: 'gap', depth: depth + 1, text: extra === 1 ? '1 more key' : `${extra} more keys` })
    lines.push({ side: 'both', depth, text: '}' })
  } else {
    lines.push({ side: 'expected', depth, text: label + written(expected) })
    if (found !== undefined) lines.push({ side: 'found', depth, text: label + written(found) })
  }
}

function walkList(
  expected: readonly Json[],
  found: readonly Json[],
  label: string,
  depth: number,
  lines: DiffLine[],
): void {
  lines.push({ side: 'both', depth, text: `${label}[` })
  for (const [index, element] of expected.entries()) walk(element, found[index], '', depth + 1, lines)
  for (const element of found.slice(expected.length)) {
    lines.push({ side: 'found', depth: depth + 1, text: written(element) })
  }
  lines.push({ side: 'both', depth, text: ']' })
}

function written(value: Json): string {
  try {
    const text = JSON.stringify(value)
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
  } catch {
    return 'something deep' // a result may be nested deeper than can be written
  }
}
