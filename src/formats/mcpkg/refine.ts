import type { Issue, Path, Shape } from '../shape.ts'

/** What goes on while one value is looked at. */
export interface Looking {
  /** Whether a key was written, well or not. */
  readonly has: (key: string) => boolean
  /** Tells those of the keys that were not. */
  readonly need: (...keys: readonly string[]) => void
  /** Says what is wrong with the value at a path below. */
  readonly tell: (at: Path, issue: Omit<Issue, 'path'>) => void
}

/** A shape whose value is looked at once more, and made into what the model wants. What did not fit is absent. */
export function refine<T extends object, U>(
  shape: Shape<T>,
  look: (value: Partial<T>, looking: Looking) => U | undefined,
): Shape<U> {
  return {
    about: shape.about,
    schema: shape.schema,
    fromText: (written) => shape.fromText(written),
    ...(shape.fields === undefined ? {} : { fields: shape.fields }),
    read(value, path, issues) {
      const read = shape.read(value, path, issues)
      if (read === undefined) return undefined
      // A shape that reads objects has read one.
      const written = value as Readonly<Record<string, unknown>>
      const has = (key: string) => Object.hasOwn(written, key) && written[key] !== null
      return look(read, {
        has,
        need(...keys) {
          for (const key of keys) {
            if (!has(key)) issues.push({ path, message: `\`${key}\` is missing`, onKey: true })
          }
        },
        tell: (at, issue) => issues.push({ ...issue, path: [...path, ...at] }),
      })
    },
  }
}
