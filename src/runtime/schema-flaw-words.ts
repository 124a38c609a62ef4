import type { ErrorObject } from 'ajv'
import { describeMisfits } from './misfit-words.ts'

/** Why a schema cannot be compiled, in words for people; `errors` is what its own schema says against it. */
export function schemaFlawWords(message: string, errors: readonly ErrorObject[]): string {
  if (message.startsWith('schema is invalid') && errors.length > 0) {
    return describeMisfits(telling(errors), 'schema').join('; ')
  }
  const [, pattern, why] = /^Invalid regular expression: \/(.*)\/[a-z]*: (.+)$/s.exec(message) ?? []
  if (pattern !== undefined && why !== undefined) {
    return `${JSON.stringify(pattern)} is not a regular expression (${why.toLowerCase()})`
  }
  const [, id] = /^schema with key or id (.+) already exists$/s.exec(message) ?? []
  if (id !== undefined) return `the \`$id\` ${id} stands in it twice`
  return message === 'enum must have non-empty array' ? '`enum` must not be empty' : message
}

/** The schema of schemas offers choices: that none of them fits says less than why the first does not. */
function telling(errors: readonly ErrorObject[]): ErrorObject[] {
  const isChoice = ({ keyword }: ErrorObject) => keyword === 'anyOf' || keyword === 'oneOf'
  const places = new Set<string>()
  const told = errors.filter((error) => {
    if (isChoice(error) || places.has(error.instancePath)) return false
    places.add(error.instancePath)
    return true
  })
  return told.length > 0 ? told : [...errors]
}
