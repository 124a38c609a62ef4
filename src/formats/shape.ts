import { type Json, type JsonObject, type JsonSchema, nearest } from '../model/index.ts'

/**
 * A shape reads an untrusted value into a typed one, collects every problem on the way, and describes
 * itself as JSON Schema (draft 7) for editors. One declaration serves files, environment, flags and docs.
 */
export interface Shape<T> {
  readonly schema: JsonSchema
  /** undefined when it does not fit; the reason is in `issues` then. */
  read(value: unknown, path: Path, issues: Issue[]): T | undefined
  /** How the same value is written on a command line or in the environment. */
  fromText(text: string): unknown
  /** The value as one would write it in a file, where that differs from what was read. */
  written?(value: unknown): unknown
  /** null is a value here, not a key left empty. */
  readonly takesNull?: boolean
  readonly about: string
  readonly fields?: Readonly<Record<string, Shape<unknown>>>
  readonly isPath?: boolean
  readonly required?: boolean
}

export type Path = readonly (string | number)[]

/** What is wrong with one value, and the way out. */
export interface Flaw {
  readonly message: string
  readonly hint?: string
}

export interface Issue extends Flaw {
  readonly path: Path
  /** A warning does not refuse the file. Issues are errors unless they say otherwise. */
  readonly severity?: 'warning'
  /** The key itself is wrong, not its value. */
  readonly onKey?: boolean
  /** A number was found where text belongs: what to write in quotes, from its spelling in the file. */
  readonly quote?: (spelled: string) => string
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never
type Fields = Readonly<Record<string, Shape<unknown>>>
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends { required: true } ? K : never }[keyof F]
export type ObjectOf<F extends Fields> = {
  readonly [K in RequiredKeys<F>]: ValueOf<F[K]>
} & { readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]> }

interface TextOptions {
  /** What a number in its place was meant to be; by default its own spelling. */
  readonly quoted?: (spelled: string) => string
  readonly pattern?: RegExp
  readonly expected?: string
  /** Says more about what is wrong than a pattern can; the pattern is for editors then. */
  readonly check?: (value: string) => Flaw | undefined
}

export function text(about: string, options: TextOptions = {}): Shape<string> {
  const expected = options.expected ?? 'text'
  return {
    about,
    schema: {
      type: 'string',
      description: about,
      ...(options.pattern ? { pattern: options.pattern.source } : {}),
    },
    fromText: (written) => written,
    read(value, path, issues) {
      if (typeof value === 'number' || typeof value === 'boolean') {
        return fail(issues, {
          path,
          message: `must be ${expected}, but reads as a ${typeof value}`,
          quote: options.quoted ?? ((spelled) => spelled),
        })
      }
      if (typeof value !== 'string') return mismatch(issues, path, expected, value)
      const flaw = options.check?.(value)
      if (flaw) return fail(issues, { path, ...flaw })
      if (options.pattern && !options.pattern.test(value)) return mismatch(issues, path, expected, value)
      return value
    },
  }
}

/** Text that says something. */
export function words(about: string): Shape<string> {
  return text(about, { pattern: /\S/, expected: 'some words' })
}

/** A file or folder, relative to the file that says it. */
export function path(about: string): Shape<string> {
  return {
    ...text(about, { pattern: /^[^\0]+$/, expected: 'a path' }),
    isPath: true,
    schema: { type: 'string', description: about },
  }
}

export function integer(about: string, range: { min: number; max: number }): Shape<number> {
  const expected = `a whole number from ${range.min} to ${range.max}`
  return {
    about,
    schema: { type: 'integer', minimum: range.min, maximum: range.max, description: about },
    fromText: (written) => (/^-?\d+$/.test(written.trim()) ? Number(written) : written),
    read(value, at, issues) {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < range.min || value > range.max) {
        return mismatch(issues, at, expected, value)
      }
      return value
    },
  }
}

export function bool(about: string): Shape<boolean> {
  return {
    about,
    schema: { type: 'boolean', description: about },
    fromText: (written) => {
      if (/^(true|1|yes|on)$/i.test(written)) return true
      return /^(false|0|no|off)$/i.test(written) ? false : written
    },
    read: (value, at, issues) =>
      typeof value === 'boolean' ? value : mismatch(issues, at, 'true or false', value),
  }
}

export function oneOf<const T extends string>(about: string, choices: readonly T[]): Shape<T> {
  return {
    about,
    schema: { enum: choices, description: about },
    fromText: (written) => written,
    read(value, at, issues) {
      const found = choices.find((choice) => choice === value)
      if (found !== undefined) return found
      const close = typeof value === 'string' ? nearest(value, choices) : undefined
      const issue = { path: at, message: `must be one of ${choices.join(', ')}, not ${show(value)}` }
      return fail(issues, close ? { ...issue, hint: `did you mean ${close}?` } : issue)
    },
  }
}

const DURATION_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }

/** Seconds as a number, or `30s`, `500ms`, `2m`, `1h`. Read as milliseconds. */
export function duration(about: string): Shape<number> {
  const shape = measure(about, 'a time such as 30, 30s or 500ms', DURATION_MS, 1000)
  return { ...shape, written: (ms) => Number(ms) / 1000 }
}

const SIZE_BYTES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1000,
  mb: 1_000_000,
  gb: 1_000_000_000,
  kib: 1024,
  mib: 1_048_576,
  gib: 1_073_741_824,
}

/** Bytes as a number, or `256MiB`, `10MB`. */
export function size(about: string): Shape<number> {
  return measure(about, 'a size such as 1048576, 10MB or 256MiB', SIZE_BYTES, 1)
}

function measure(
  about: string,
  expected: string,
  units: Readonly<Record<string, number>>,
  plainUnit: number,
): Shape<number> {
  return {
    about,
    schema: { type: ['number', 'string'], description: about },
    fromText: (written) => (/^[\d.]+$/.test(written) ? Number(written) : written),
    read(value, at, issues) {
      const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(value.trim()) : null
      const unit = match?.[2] === undefined ? undefined : units[match[2].toLowerCase()]
      const read = Math.round(
        typeof value === 'number' ? value * plainUnit : Number(match?.[1]) * (unit ?? Number.NaN),
      )
      return read > 0 && Number.isSafeInteger(read) ? read : mismatch(issues, at, expected, value)
    },
  }
}

export function list<T>(about: string, item: Shape<T>): Shape<readonly T[]> {
  return {
    about,
    schema: { type: 'array', items: item.schema, description: about },
    fromText: (written) => written.split(',').map((part) => item.fromText(part.trim())),
    read(value, at, issues) {
      const read = readEach(value, item, at, issues)
      return read?.includes(undefined) ? undefined : (read as T[] | undefined) // every element was read
    },
  }
}

/** A list in which what does not fit leaves a hole, so that the others keep their place. */
export function patchy<T>(about: string, item: Shape<T>): Shape<readonly (T | undefined)[]> {
  return { ...list(about, item), read: (value, at, issues) => readEach(value, item, at, issues) }
}

function readEach<T>(
  value: unknown,
  item: Shape<T>,
  at: Path,
  issues: Issue[],
): (T | undefined)[] | undefined {
  if (!Array.isArray(value)) return mismatch(issues, at, 'a list', value)
  return value.map((element, index) => item.read(element, [...at, index], issues))
}

/** A list whose broken elements are left out, each with its issues. `index` is where one stood. */
export function sound<T>(about: string, item: Shape<T>): Shape<readonly { value: T; index: number }[]> {
  return {
    ...list(about, item),
    read(value, at, issues) {
      if (!Array.isArray(value)) return mismatch(issues, at, 'a list', value)
      return value.flatMap((element, index) => {
        const before = issues.length
        const read = item.read(element, [...at, index], issues)
        return read === undefined || issues.length > before ? [] : [{ value: read, index }]
      })
    },
  }
}

/** Written in the environment as `key=value,key=value`. */
export function map<T>(
  about: string,
  item: Shape<T>,
  checkKey: (key: string) => Flaw | undefined = () => undefined,
): Shape<Readonly<Record<string, T>>> {
  return {
    about,
    schema: { type: 'object', additionalProperties: item.schema, description: about },
    fromText(written) {
      const pairs = pairsOf(written)
      return pairs ? Object.fromEntries(pairs.map(([key, value]) => [key, item.fromText(value)])) : written
    },
    read(value, at, issues) {
      if (!isPlain(value)) return mismatch(issues, at, 'a map', value)
      const read = Object.entries(value).flatMap(([key, element]) => {
        const flaw = checkKey(key)
        if (flaw) issues.push({ path: [...at, key], onKey: true, ...flaw })
        const one = item.read(element, [...at, key], issues)
        return one === undefined || flaw ? [] : [[key, one] as const]
      })
      return Object.fromEntries(read)
    },
  }
}

/** `a=1,b=2` as pairs; undefined when a part has no `=`. */
export function pairsOf(written: string): [string, string][] | undefined {
  const parts = written.split(',').map((part) => part.trim())
  if (parts.some((part) => !part.includes('='))) return undefined
  return parts.map((part) => {
    const equals = part.indexOf('=')
    return [part.slice(0, equals).trim(), part.slice(equals + 1).trim()]
  })
}

/** Any JSON value, null too. */
export function anyJson(about: string): Shape<Json> {
  return {
    about,
    takesNull: true,
    schema: { description: about },
    fromText: (written) => written,
    // YAML and JSON readers produce nothing but JSON values.
    read: (value) => value as Json,
  }
}

/** Any JSON object, as it is: schemas, annotations, metadata. */
export function anyObject(about: string): Shape<JsonObject> {
  return {
    about,
    schema: { type: 'object', description: about },
    fromText: (written) => written,
    // YAML and JSON readers produce nothing but JSON values.
    read: (value, at, issues) =>
      isPlain(value) ? (value as JsonObject) : mismatch(issues, at, 'a map', value),
  }
}

export function required<T>(shape: Shape<T>): Shape<T> & { readonly required: true } {
  return { ...shape, required: true }
}

interface ObjectOptions {
  /** Unknown keys are passed over. */
  readonly open?: boolean
  /** Keys that begin with `x-` are. */
  readonly extensions?: boolean
}

/** Unknown keys are refused, with the nearest known one or the place where they belong as a hint. */
export function object<F extends Fields>(
  about: string,
  fields: F,
  options: ObjectOptions = {},
): Shape<ObjectOf<F>> & { readonly fields: F } {
  const names = Object.keys(fields)
  const needed = names.filter((name) => fields[name]?.required)
  return {
    about,
    fields,
    schema: {
      type: 'object',
      description: about,
      properties: Object.fromEntries(names.map((name) => [name, fields[name]?.schema ?? {}])),
      ...(needed.length > 0 ? { required: needed } : {}),
      ...(options.extensions ? { patternProperties: { '^x-': {} } } : {}),
      additionalProperties: options.open ?? false,
    },
    fromText: (written) => written,
    read(value, at, issues) {
      if (!isPlain(value)) return mismatch(issues, at, 'a map', value)
      const result: Record<string, unknown> = {}
      for (const [key, element] of Object.entries(value)) {
        const field = Object.hasOwn(fields, key) ? fields[key] : undefined
        if (field) {
          // `key:` with nothing behind it means "not set", as people leave keys while editing.
          const isSet = element !== null || field.takesNull
          const read = isSet ? field.read(element, [...at, key], issues) : undefined
          if (read !== undefined) result[key] = read
        } else if (!options.open && !(options.extensions && key.startsWith('x-'))) {
          const hint = hintFor(key)
          const issue = { path: [...at, key], message: `unknown key ${quoteKey(key)}`, onKey: true }
          issues.push(hint === undefined ? issue : { ...issue, hint })
        }
      }
      for (const name of needed) {
        if (value[name] === undefined || (value[name] === null && !fields[name]?.takesNull)) {
          issues.push({ path: at, message: `\`${name}\` is missing`, onKey: true })
        }
      }
      return result as ObjectOf<F> // built field by field from the same table
    },
  }

  function hintFor(key: string): string | undefined {
    const home = names.find((name) => Object.hasOwn(fields[name]?.fields ?? {}, key))
    if (home !== undefined) return `it belongs below \`${home}\``
    const close = nearest(key, names)
    return close && `did you mean \`${close}\`?`
  }
}

function quoteKey(key: string): string {
  return `\`${cut(key)}\``
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mismatch(issues: Issue[], at: Path, expected: string, value: unknown): undefined {
  return fail(issues, { path: at, message: `must be ${expected}, not ${show(value)}` })
}

function fail(issues: Issue[], issue: Issue): undefined {
  issues.push(issue)
  return undefined
}

/** A value as messages quote it. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  return JSON.stringify(typeof value === 'string' ? cut(value) : value)
}

/** Enough of a value to recognise it by. */
function cut(written: string): string {
  return written.length > 80 ? `${written.slice(0, 80)}…` : written
}
