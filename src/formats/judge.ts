import { isJsonObject, type Json } from '../model/index.ts'
import type { JsonPath } from './jsonpath.ts'
import type { Assertion, TestCase } from './test-case.ts'

/** Everything in which a result differs from what a test expects, each with its place; none when it passes. */
export function judge(testCase: TestCase, result: Json, jsonPath: JsonPath): readonly string[] {
  const failures: Failure[] = []
  if (testCase.expected !== undefined) compare(testCase.expected, result, '$', failures)
  for (const assertion of testCase.assertions) failures.push(...assess(assertion, result, jsonPath))
  return failures.map(({ path, message }) => `${path}: ${message}`)
}

interface Failure {
  /** Where in the result, as a JSONPath. */
  readonly path: string
  readonly message: string
}

/** What is expected must be there; a map may hold more. Lists have the same length. */
function compare(expected: Json, found: Json | undefined, path: string, failures: Failure[]): void {
  if (found === undefined)
    failures.push({ path, message: `expected ${quote(expected)}, but nothing is there` })
  else if (Array.isArray(expected)) {
    if (!Array.isArray(found)) failures.push({ path, message: `expected a list, found ${quote(found)}` })
    else if (found.length !== expected.length) {
      failures.push({ path, message: `expected ${expected.length} elements, found ${found.length}` })
    } else {
      for (const [index, element] of expected.entries()) {
        compare(element, found[index], `${path}[${index}]`, failures)
      }
    }
  } else if (isJsonObject(expected)) {
    if (!isJsonObject(found)) failures.push({ path, message: `expected a map, found ${quote(found)}` })
    else {
      for (const [key, element] of Object.entries(expected)) {
        compare(element, Object.hasOwn(found, key) ? found[key] : undefined, path + step(key), failures)
      }
    }
  } else if (expected !== found) {
    failures.push({ path, message: `expected ${quote(expected)}, found ${quote(found)}` })
  }
}

function step(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}

function assess(assertion: Assertion, result: Json, jsonPath: JsonPath): Failure[] {
  const { path } = assertion
  const selected = jsonPath.select(path, result)
  if ('problem' in selected) return [{ path, message: selected.problem.message }]
  const { values } = selected
  const [first] = values
  const failures: string[] = []
  if (assertion.equals !== undefined) {
    if (values.length > 1) failures.push(`equals needs one value, but the path selects ${values.length}`)
    else if (first === undefined) failures.push(`expected ${quote(assertion.equals)}, but nothing is there`)
    else if (!isEqual(assertion.equals, first)) {
      failures.push(`expected ${quote(assertion.equals)}, found ${quote(first)}`)
    }
  }
  const { notEquals } = assertion
  if (notEquals !== undefined && values.some((value) => isEqual(notEquals, value))) {
    failures.push(`expected anything but ${quote(notEquals)}`)
  }
  const isThere = values.length > 0
  for (const wanted of [
    assertion.exists,
    assertion.notExists === undefined ? undefined : !assertion.notExists,
  ]) {
    if (wanted === true && !isThere) failures.push('expected something, but nothing is there')
    if (wanted === false && isThere) failures.push(`expected nothing, found ${quote(first)}`)
  }
  return failures.map((message) => ({ path, message }))
}

function isEqual(a: Json, b: Json): boolean {
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null))
    )
  }
  if (!isJsonObject(a)) return a === b
  const keys = Object.keys(a)
  return (
    isJsonObject(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null))
  )
}

/** Enough of a value to recognise it by. */
function quote(value: Json | undefined): string {
  try {
    const text = JSON.stringify(value) ?? 'nothing'
    return text.length > 200 ? `${text.slice(0, 200)}…` : text
  } catch {
    return 'something deep' // a result may be nested deeper than can be written
  }
}
