import type { Json, JsonObject } from '../../model/index.ts'
import type { Flaw } from '../shape.ts'
import { PLACEHOLDER, type UrlTemplate } from './url-template.ts'

/** Segments that would lead elsewhere; URL parsers take `%2e` for a dot. */
const DOTS = /^(?:\.|%2e){1,2}$/i

/** The path of a URL with its arguments in place. An argument fills its place and never changes the way. */
export function fillPath(
  { path, names }: UrlTemplate,
  args: JsonObject,
): { readonly path: string; readonly problems: readonly Flaw[] } {
  const problems: Flaw[] = [...new Set(names)].flatMap((name) => wrongArgument(name, args))
  const filled = path.replace(PLACEHOLDER, (_, name: string) => encode(args[name] ?? ''))
  if (problems.length === 0 && names.length > 0 && filled.split('/').some((segment) => DOTS.test(segment))) {
    const shown = [...new Set(names)].map((name) => `\`${name}\``).join(', ')
    problems.push({
      message: `the arguments ${shown} make . or .. of a part of the URL, which leads elsewhere`,
    })
  }
  return { path: filled, problems }
}

function wrongArgument(name: string, args: JsonObject): Flaw[] {
  const value = Object.hasOwn(args, name) ? args[name] : undefined
  if (value === undefined || value === null)
    return [{ message: `the argument \`${name}\` is missing: it is part of the URL` }]
  if (typeof value === 'object') {
    return [
      {
        message: `the argument \`${name}\` must be a text, a number, or true or false: it is part of the URL`,
      },
    ]
  }
  const text = String(value)
  if (text === '') return [{ message: `the argument \`${name}\` must not be empty: it is part of the URL` }]
  if (text === '.' || text === '..') {
    return [
      { message: `the argument \`${name}\` must not be ${text}: as part of the URL it leads elsewhere` },
    ]
  }
  return text.isWellFormed() ? [] : [{ message: `the argument \`${name}\` has half a character in it` }]
}

function encode(value: Json): string {
  const text = typeof value === 'object' ? '' : String(value)
  return encodeURIComponent(text.toWellFormed())
}
