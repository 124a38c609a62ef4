import { nearest } from '../../model/index.ts'
import { type ObjectOf, object, type Shape } from '../shape.ts'

/**
 * MCPKG may be extended, so a key nobody knows is no reason to refuse a package of tomorrow. It may also be a
 * key misspelled, so it is told. Keys that begin with `x-` are passed over.
 */
export function lenient<F extends Readonly<Record<string, Shape<unknown>>>>(
  about: string,
  fields: F,
): Shape<ObjectOf<F>> & { readonly fields: F } {
  const strict = object(about, fields, { open: true })
  const names = Object.keys(fields)
  return {
    ...strict,
    read(value, path, issues) {
      for (const key of keysOf(value)) {
        if (Object.hasOwn(fields, key) || key.startsWith('x-')) continue
        issues.push({
          path: [...path, key],
          onKey: true,
          severity: 'warning',
          message: `unknown key \`${key.slice(0, 80)}\` has no effect`,
          hint: hintFor(key),
        })
      }
      return strict.read(value, path, issues)
    },
  }

  function hintFor(key: string): string {
    const home = names.find((name) => Object.hasOwn(fields[name]?.fields ?? {}, key))
    if (home !== undefined) return `it belongs below \`${home}\``
    const close = nearest(key, names)
    return close === undefined ? 'name it x-… if it is yours' : `did you mean \`${close}\`?`
  }
}

function keysOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
}
