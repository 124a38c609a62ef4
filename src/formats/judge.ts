import type { Json, JsonSchema } from '../model/index.ts'
import type { JsonPath } from './jsonpath.ts'
import { assess } from './mcpkg/assess.ts'
import { compare } from './mcpkg/compare.ts'
import type { Patterns } from './mcpkg/patterns.ts'
import type { TestCase } from './test-case.ts'

/** What some assertions need; one that cannot be looked at does not hold. */
export interface JudgeKit {
  readonly patterns?: Patterns
  readonly schemas?: SchemaKit
}

export interface SchemaKit {
  /** Why something is no JSON Schema that can be used; none when it is. */
  check(schema: JsonSchema): readonly string[]
  /** Every way in which a value does not fit a schema. */
  validate(schema: JsonSchema, value: Json): readonly string[]
}

/** One thing in which a result differs from what a test expects. */
export interface Finding {
  /** Where in the result, as a JSONPath. */
  readonly path: string
  readonly message: string
  /** Both sides, where there are two to lay beside each other. */
  readonly expected?: Json
  readonly actual?: Json
}

/** Everything in which a result differs from what a test expects, each with its place; none when it passes. */
export function judge(
  testCase: TestCase,
  result: Json,
  jsonPath: JsonPath,
  kit: JudgeKit = {},
): readonly string[] {
  return examine(testCase, result, jsonPath, kit).map(({ path, message }) => `${path}: ${message}`)
}

/** The same as data. */
export function examine(
  testCase: TestCase,
  result: Json,
  jsonPath: JsonPath,
  kit: JudgeKit = {},
): readonly Finding[] {
  return [
    ...(testCase.expected === undefined ? [] : compare(testCase.expected, result)),
    ...testCase.assertions.flatMap((assertion) => assess(assertion, result, jsonPath, kit)),
  ]
}
