import { findJsonError } from './json-position.ts'
import { createPlacer, createPlaces, type Reading, refuse, type Spot, toPointer } from './placed.ts'
import type { Flaw, Issue, Path, Shape } from './shape.ts'

const MAX_CHARACTERS = 4 * 1_048_576
const MAX_DEPTH = 64

/**
 * Reads JSON into a shape, with the place of every problem. `ownWords` is for files that Orla wrote itself:
 * keys that stand twice are not looked for.
 */
export function readJson<T>(
  written: string,
  file: string,
  shape: Shape<T>,
  options: { readonly ownWords?: boolean } = {},
): Reading<T> {
  if (written.length > MAX_CHARACTERS) return refuse(file, [{ message: 'is larger than 4 MiB' }])
  const source = written.replace(/^\uFEFF/, '')
  let plain: unknown
  try {
    plain = JSON.parse(source)
  } catch {
    const offset = findJsonError(source) ?? source.length
    return refuse(file, [{ ...createPlaces(source)(offset), ...describeSyntax(source, offset) }])
  }
  if (isDeeper(plain, MAX_DEPTH)) {
    return refuse(file, [{ message: `is nested deeper than ${MAX_DEPTH} levels` }])
  }
  let spots: Spots | undefined
  const toProblem = createPlacer(file, source, (path, onKey) => {
    spots ??= findSpots(source)
    return spots.find(path, onKey)
  })
  const issues: Issue[] = []
  // To find out where a key stands twice takes longer than to see that none does: the parser keeps one of them.
  if (!options.ownWords && keysWritten(source) !== keysIn(plain)) {
    spots = findSpots(source)
    issues.push(...spots.twice)
  }
  const value = shape.read(plain, [], issues)
  return { value, problems: issues.map(toProblem), problemAt: (path, flaw) => toProblem({ path, ...flaw }) }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1))
}

/** Of a text that is known to be JSON: a text before a colon is a key. */
function keysWritten(source: string): number {
  let count = 0
  for (const [, colon] of source.matchAll(/"(?:[^"\\]+|\\.)*"\s*(:)?/g)) if (colon !== undefined) count++
  return count
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce<number>((sum, child) => sum + keysIn(child), own)
}

function describeSyntax(source: string, offset: number): Flaw {
  const char = source[offset]
  if (char === undefined) return { message: source.trim() === '' ? 'is empty' : 'ends too early' }
  const message = `is not JSON from here: ${JSON.stringify(source.slice(offset, offset + 20))}`
  if (source.startsWith('<<<<<<<', offset)) return { message, hint: 'resolve the merge conflict first' }
  if ((char === '}' || char === ']') && source.slice(0, offset).trimEnd().endsWith(',')) {
    return { message, hint: 'remove the comma before it' }
  }
  if (char === "'") return { message, hint: 'JSON wants double quotes' }
  if (char === '/' || char === '#') return { message, hint: 'JSON has no comments' }
  return { message }
}

interface Spots {
  find(path: Path, onKey: boolean): Spot | undefined
  readonly twice: readonly Issue[]
}

/** Where everything stands in a text that is known to be JSON. */
function findSpots(source: string): Spots {
  const values = new Map<string, Spot>()
  const keys = new Map<string, Spot>()
  const twice: Issue[] = []
  const token = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g
  walk([])
  return {
    twice,
    find(path, onKey) {
      // The nearest thing above, when the path itself is not there.
      for (let length = path.length; length >= 0; length--) {
        const pointer = toPointer(path.slice(0, length))
        const spot = (onKey && keys.get(pointer)) || values.get(pointer)
        if (spot) return spot
      }
      return undefined
    },
  }

  function walk(path: Path): void {
    const [text, offset] = next()
    values.set(toPointer(path), { offset, spelled: text })
    if (text === '[') {
      for (let index = 0; peek() !== ']'; index++) {
        walk([...path, index])
        if (peek() === ',') next()
      }
      next()
    } else if (text === '{') {
      while (peek() !== '}') {
        const [key, keyOffset] = next()
        const below = [...path, String(JSON.parse(key))]
        const pointer = toPointer(below)
        if (keys.has(pointer)) twice.push({ path: below, message: 'the same key stands twice', onKey: true })
        keys.set(pointer, { offset: keyOffset })
        next() // the colon
        walk(below)
        if (peek() === ',') next()
      }
      next()
    }
  }

  function next(): [string, number] {
    const match = token.exec(source)
    return [match?.[0] ?? '', match?.index ?? source.length]
  }

  function peek(): string {
    const at = token.lastIndex
    const [text] = next()
    token.lastIndex = at
    return text
  }
}
