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
  readonly about: string
  readonly fields?: Readonly<Record<string, Shape<unknown>>>
  readonly isPath?: boolean
  readonly required?: boolean
}

export type Path = readonly (string | number)[]

export interface Issue {
  readonly path: Path
  readonly message: string
  readonly hint?: string
  /** The key itself is wrong, not its value. */
  readonly onKey?: boolean
  /** A number was found where text belongs: its spelling in the file says what to quote. */
  readonly quote?: boolean
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never
type Fields = Readonly<Record<string, Shape<unknown>>>
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends { required: true } ? K : never }[keyof F]
export type ObjectOf<F extends Fields> = {
  readonly [K in RequiredKeys<F>]: ValueOf<F[K]>
} & { readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]> }

export function text(about: string, options: { pattern?: RegExp; expected?: string } = {}): Shape<string> {
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
          quote: true,
        })
      }
      if (typeof value !== 'string') return mismatch(issues, path, expected, value)
      if (options.pattern && !options.pattern.test(value)) {
        return fail(issues, { path, message: `must be ${expected}, not ${JSON.stringify(value)}` })
      }
      return value
    },
  }
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
      if (typeof value === 'number' && Number.isFinite(value) && value > 0)
        return Math.round(value * plainUnit)
      const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(value.trim()) : null
      const unit = match?.[2] === undefined ? undefined : units[match[2].toLowerCase()]
      const amount = Number(match?.[1])
      if (unit === undefined || !(amount > 0)) return mismatch(issues, at, expected, value)
      return Math.round(amount * unit)
    },
  }
}

export function list<T>(about: string, item: Shape<T>): Shape<readonly T[]> {
  return {
    about,
    schema: { type: 'array', items: item.schema, description: about },
    fromText: (written) => written.split(',').map((part) => item.fromText(part.trim())),
    read(value, at, issues) {
      if (!Array.isArray(value)) return mismatch(issues, at, 'a list', value)
      const read = value.map((element, index) => item.read(element, [...at, index], issues))
      return read.includes(undefined) ? undefined : (read as T[]) // every element was read
    },
  }
}

export function map<T>(about: string, item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    about,
    schema: { type: 'object', additionalProperties: item.schema, description: about },
    fromText: (written) => written,
    read(value, at, issues) {
      if (!isPlain(value)) return mismatch(issues, at, 'a map', value)
      const read = Object.entries(value).flatMap(([key, element]) => {
        const one = item.read(element, [...at, key], issues)
        return one === undefined ? [] : [[key, one] as const]
      })
      return Object.fromEntries(read)
    },
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

/** Unknown keys are refused with the nearest known one as a hint, unless `open`. */
export function object<F extends Fields>(
  about: string,
  fields: F,
  options: { open?: boolean } = {},
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
          const read = element === null ? undefined : field.read(element, [...at, key], issues)
          if (read !== undefined) result[key] = read
        } else if (!options.open) {
          const close = nearest(key, names)
          const issue = { path: [...at, key], message: `unknown key \`${key}\``, onKey: true }
          issues.push(close ? { ...issue, hint: `did you mean \`${close}\`?` } : issue)
        }
      }
      for (const name of needed) {
        if (value[name] === undefined || value[name] === null) {
          issues.push({ path: at, message: `\`${name}\` is missing`, onKey: true })
        }
      }
      return result as ObjectOf<F> // built field by field from the same table
    },
  }
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

function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  return JSON.stringify(value as Json)
}
