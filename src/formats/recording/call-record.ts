import { type CallRecord, isJsonObject, type Json, type KeptNode, type KeptValue } from '../../model/index.ts'

/** A record as one line of JSON. Values are lists: there are many of them. */
export function formatCallRecord({ at, who, tool, version, input, output }: CallRecord): string {
  const given = Object.entries(input).map(([name, value]) => [name, ...written(value)])
  return JSON.stringify({
    v: 1,
    at,
    who,
    tool,
    version,
    in: given,
    out: output.map((node) => [node.path, ...written(node)]),
  })
}

/** Undefined for a line that is none, or is from a version that writes otherwise. */
export function parseCallRecord(line: string): CallRecord | undefined {
  let found: unknown
  try {
    found = JSON.parse(line)
  } catch {
    return undefined // the end of a file that was cut
  }
  if (!isJsonObject(found) || found.v !== 1) return undefined
  const { at, who, tool, version, in: given, out } = found
  if (typeof at !== 'number' || typeof who !== 'string' || typeof tool !== 'string') return undefined
  if (typeof version !== 'string' || !Array.isArray(given) || !Array.isArray(out)) return undefined
  const input = given.flatMap((row: Json) => read(row) ?? [])
  const output = out.flatMap((row: Json) => read(row) ?? [])
  return {
    at,
    who,
    tool,
    version,
    input: Object.fromEntries(input.map(({ path, ...value }) => [path, value])),
    output,
  }
}

function written({ hash, weight, type, value }: KeptValue): Json[] {
  const row: Json[] = [hash, Math.round(weight * 100) / 100, type]
  return value === undefined ? row : [...row, value]
}

const TYPES: readonly string[] = [
  'null',
  'boolean',
  'number',
  'string',
  'array',
  'object',
] satisfies readonly KeptValue['type'][]

function isType(word: Json | undefined): word is KeptValue['type'] {
  return typeof word === 'string' && TYPES.includes(word)
}

function read(row: Json): KeptNode | undefined {
  if (!Array.isArray(row)) return undefined
  // Array.isArray forgets that the elements are JSON.
  const [path, hash, weight, type, value] = row as readonly (Json | undefined)[]
  if (typeof path !== 'string' || typeof hash !== 'string' || typeof weight !== 'number' || !isType(type))
    return undefined
  return value === undefined ? { path, hash, weight, type } : { path, hash, weight, type, value }
}
