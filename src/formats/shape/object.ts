import { nearest } from '../../model/index.ts'
import type { Fields, ObjectOf, Shape } from './declaration.ts'
import { cut, isPlain, mismatch } from './mismatch.ts'

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
    schema: () => ({
      type: 'object',
      description: about,
      properties: Object.fromEntries(names.map((name) => [name, fields[name]?.schema() ?? {}])),
      ...(needed.length > 0 ? { required: needed } : {}),
      ...(options.extensions ? { patternProperties: { '^x-': {} } } : {}),
      additionalProperties: options.open ?? false,
    }),
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
          const issue = { path: [...at, key], message: `unknown key \`${cut(key)}\``, onKey: true }
          issues.push(hint === undefined ? issue : { ...issue, hint })
        }
      }
      for (const name of needed) {
        if (value[name] === undefined) {
          issues.push({ path: at, message: `\`${name}\` is missing`, onKey: true })
        } else if (value[name] === null && !fields[name]?.takesNull) {
          issues.push({ path: [...at, name], message: `\`${name}\` is empty`, onKey: true })
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
