import { nearest } from '../../model/index.ts'
import type { Flaw, Shape } from './declaration.ts'
import { fail, mismatch, show } from './mismatch.ts'

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
    schema: () => ({
      type: 'string',
      description: about,
      ...(options.pattern ? { pattern: options.pattern.source } : {}),
    }),
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
    schema: () => ({ type: 'string', description: about }),
  }
}

export function integer(about: string, range: { min: number; max: number }): Shape<number> {
  const expected = `a whole number from ${range.min} to ${range.max}`
  return {
    about,
    schema: () => ({ type: 'integer', minimum: range.min, maximum: range.max, description: about }),
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
    schema: () => ({ type: 'boolean', description: about }),
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
    schema: () => ({ enum: choices, description: about }),
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
