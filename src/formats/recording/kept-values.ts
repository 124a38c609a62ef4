import { isJsonObject, type Json, type KeptNode, type KeptValue } from '../../model/index.ts'
import { pathSelector } from '../path-selector.ts'

/** How values are kept. */
export interface Keeping {
  /** With the key of this machine. */
  readonly hash: (text: string) => string
  /** Whether a text holds a known secret. */
  readonly isSecret: (text: string) => boolean
  /** Values beside their hashes. */
  readonly withValues: boolean
}

/** What an output is looked at: outputs may be huge, and a chain takes few things out of one. */
const MOST_NODES = 256
const DEEPEST = 8
const MOST_ELEMENTS = 32
/** Longer texts are told apart by their hash only. */
const LONGEST_VALUE = 256
const LARGEST = 1_048_576

/** The value of an argument. Its name may say that it must not be kept. */
export function keepArgument(name: string, value: Json, keeping: Keeping): KeptValue {
  return keep(value, keeping, isSecretName(name))
}

/** An output and everything in it, from the whole to its parts. */
export function keepOutput(output: Json, keeping: Keeping): KeptNode[] {
  const nodes: KeptNode[] = []
  const walk = (value: Json, path: string, depth: number): void => {
    if (nodes.length === MOST_NODES) return
    nodes.push({ path, ...keep(value, keeping, false) })
    if (depth === DEEPEST) return
    if (Array.isArray(value)) {
      for (const [index, element] of value.slice(0, MOST_ELEMENTS).entries())
        walk(element, `${path}[${index}]`, depth + 1)
    } else if (isJsonObject(value)) {
      for (const [key, element] of Object.entries(value))
        if (!isSecretName(key)) walk(element, path + pathSelector(key), depth + 1)
    }
  }
  walk(output, '$', 0)
  // What says nothing is found nowhere.
  return nodes.filter(({ weight }) => weight > 0)
}

/** The hash by which a value can be recognised. */
export function hashOf(value: Json, { hash }: Pick<Keeping, 'hash'>): string {
  return hash(canonical(value))
}

function keep(value: Json, keeping: Keeping, isHidden: boolean): KeptValue {
  const type = typeOf(value)
  const text = isHidden || isDeep(value) ? undefined : canonical(value)
  if (text === undefined || text.length > LARGEST || holdsSecret(value, keeping))
    return { hash: '', weight: 0, type }
  const kept = { hash: keeping.hash(text), weight: weightOf(value), type }
  return keeping.withValues && text.length <= LONGEST_VALUE ? { ...kept, value } : kept
}

/** One way to write a value, whatever the order of its keys. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join()}}`
}

function holdsSecret(value: Json, keeping: Keeping): boolean {
  if (typeof value === 'string') return keeping.isSecret(value)
  if (Array.isArray(value)) return value.some((element: Json) => holdsSecret(element, keeping))
  if (!isJsonObject(value)) return false
  return Object.entries(value).some(
    ([key, element]) => isSecretName(key) || keeping.isSecret(key) || holdsSecret(element, keeping),
  )
}

const SECRET_NAME =
  /passw|passphrase|secret|token|api_?-?key|private_?-?key|credential|authori[sz]ation|cookie/i

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

const MOST_NESTED = 64

function isDeep(value: Json, depth = 0): boolean {
  if (depth > MOST_NESTED) return true
  if (Array.isArray(value)) return value.some((element: Json) => isDeep(element, depth + 1))
  return isJsonObject(value) && Object.values(value).some((element) => isDeep(element, depth + 1))
}

const SHORTEST = 4
const LONG = 12

/** Words and numbers that everyone uses connect nothing. */
function weightOf(value: Json): number {
  if (typeof value === 'string') return weightOfText(value.trim())
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 1000 ? 0 : weightOfText(String(value))
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  let sum = 0
  for (const part of parts) {
    sum += weightOf(part)
    if (sum >= 1) return 1
  }
  return sum
}

function weightOfText({ length }: string): number {
  return length < SHORTEST ? 0 : Math.min(1, length / LONG)
}

function typeOf(value: Json): KeptValue['type'] {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  // JSON has no other types.
  return typeof value as 'boolean' | 'number' | 'string' | 'object'
}
