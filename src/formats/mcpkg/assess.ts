import type { Json } from '../../model/index.ts'
import { compact } from '../compact.ts'
import type { JsonPath } from '../jsonpath.ts'
import type { Finding, JudgeKit } from '../judge.ts'
import type { Assertion } from '../test-case.ts'
import { isEqual, quote } from './compare.ts'
import { doesContain, lengthOf, typesOf } from './value-facts.ts'

/** What does not hold of an assertion. Every key of it must. */
export function assess(assertion: Assertion, result: Json, jsonPath: JsonPath, kit: JudgeKit): Finding[] {
  const { path } = assertion
  const selected = jsonPath.select(path, result)
  if ('problem' in selected) return [{ path, message: selected.problem.message }]
  const { values } = selected
  const one = ONE_VALUE.flatMap((kind): Finding[] => {
    const wanted = assertion[kind]
    return wanted === undefined ? [] : assessOne(kind, assertion, wanted, values, kit)
  })
  return [...one, ...assessAll(assertion, values)]
}

/** The kinds that speak of exactly one value. */
const ONE_VALUE = [
  'equals',
  'matches',
  'contains',
  'greaterThan',
  'lessThan',
  'length',
  'type',
  'schema',
] as const
type OneValue = (typeof ONE_VALUE)[number]

function assessOne(
  kind: OneValue,
  assertion: Assertion,
  wanted: Json,
  values: readonly Json[],
  kit: JudgeKit,
): Finding[] {
  const { path } = assertion
  const [found] = values
  if (values.length > 1) {
    return [{ path, message: `${kind} needs one value, but the path selects ${values.length}` }]
  }
  if (found === undefined) {
    const message = `expected ${wantedWords(kind, wanted)}, but nothing is there`
    return [compact<Finding>({ path, message, expected: kind === 'equals' ? wanted : undefined })]
  }
  if (kind === 'equals') {
    if (isEqual(wanted, found)) return []
    return [
      { path, message: `expected ${quote(wanted)}, found ${quote(found)}`, expected: wanted, actual: found },
    ]
  }
  const reason = misfit(kind, assertion, found, kit)
  return reason === undefined ? [] : [{ path, message: reason, actual: found }]
}

/** Why a value is not what one of the further kinds wants; undefined when it is. */
function misfit(
  kind: Exclude<OneValue, 'equals'>,
  wanted: Assertion,
  found: Json,
  kit: JudgeKit,
): string | undefined {
  const otherwise = (holds: boolean) =>
    holds ? undefined : `expected ${wantedWords(kind, wanted[kind] ?? null)}, found ${quote(found)}`
  switch (kind) {
    case 'matches':
      return matchMisfit(wanted.matches ?? '', found, kit)
    case 'contains':
      return otherwise(doesContain(found, wanted.contains ?? null))
    case 'greaterThan':
      return otherwise(typeof found === 'number' && found > (wanted.greaterThan ?? Infinity))
    case 'lessThan':
      return otherwise(typeof found === 'number' && found < (wanted.lessThan ?? -Infinity))
    case 'length': {
      const length = lengthOf(found)
      if (length === undefined) return `expected something with a length, found ${quote(found)}`
      return length === wanted.length ? undefined : `expected a length of ${wanted.length}, found ${length}`
    }
    case 'type':
      return otherwise(typesOf(found).includes(wanted.type ?? 'null'))
    case 'schema': {
      if (kit.schemas === undefined) return 'schema cannot be checked here'
      const problems = kit.schemas.validate(wanted.schema ?? {}, found)
      return problems.length === 0 ? undefined : `does not fit the schema: ${problems.join('; ')}`
    }
  }
}

function wantedWords(kind: OneValue, wanted: Json): string {
  switch (kind) {
    case 'equals':
      return quote(wanted)
    case 'matches':
      return `a text that matches ${quote(wanted)}`
    case 'contains':
      return `something that contains ${quote(wanted)}`
    case 'greaterThan':
      return `a number greater than ${quote(wanted)}`
    case 'lessThan':
      return `a number less than ${quote(wanted)}`
    case 'length':
      return `a length of ${quote(wanted)}`
    case 'type':
      return `a value of type ${typeof wanted === 'string' ? wanted : quote(wanted)}`
    case 'schema':
      return 'a value that fits the schema'
  }
}

function matchMisfit(pattern: string, found: Json, { patterns }: JudgeKit): string | undefined {
  if (patterns === undefined) return 'matches cannot be checked here'
  if (typeof found !== 'string')
    return `expected a text that matches ${quote(pattern)}, found ${quote(found)}`
  const isFound = patterns.find(pattern, found)
  if (typeof isFound === 'object') return `${quote(pattern)} ${isFound.problem.message}`
  return isFound ? undefined : `expected a text that matches ${quote(pattern)}, found ${quote(found)}`
}

/** The kinds that speak of all values, or of none. */
function assessAll({ path, notEquals, exists, notExists }: Assertion, values: readonly Json[]): Finding[] {
  const messages: string[] = []
  if (notEquals !== undefined && values.some((value) => isEqual(notEquals, value))) {
    messages.push(`expected anything but ${quote(notEquals)}`)
  }
  const isThere = values.length > 0
  for (const wanted of [exists, notExists === undefined ? undefined : !notExists]) {
    if (wanted === true && !isThere) messages.push('expected something, but nothing is there')
    if (wanted === false && isThere) messages.push(`expected nothing, found ${quote(values[0])}`)
  }
  return messages.map((message) => ({ path, message }))
}
