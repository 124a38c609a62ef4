import type { Json, JsonObject } from '../model/index.ts'
import { compact } from './compact.ts'
import { readJson } from './json.ts'
import type { JsonPath } from './jsonpath.ts'
import { hasErrors, type PlacedProblem } from './placed.ts'
import {
  anyJson,
  anyObject,
  bool,
  integer,
  list,
  object,
  required,
  text,
  type ValueOf,
  words,
} from './shape.ts'

/** One scenario of tests/*.test.json (MCPKG §5). */
export interface TestCase {
  readonly name: string
  readonly description?: string
  readonly input: JsonObject
  /** Absent when nothing is expected of the whole; null expects null. */
  readonly expected?: Json
  readonly assertions: readonly Assertion[]
  readonly timeoutMs?: number
}

/** Every key that is there must hold. */
export interface Assertion {
  readonly path: string
  readonly equals?: Json
  readonly notEquals?: Json
  readonly exists?: boolean
  readonly notExists?: boolean
}

const KINDS = ['equals', 'notEquals', 'exists', 'notExists'] as const

const TEST_CASE = object(
  'One test of a tool',
  {
    name: required(words('Name of the test')),
    description: text('What it shows'),
    input: anyObject('Arguments of the call'),
    expected: anyJson('What the result must at least contain'),
    assertions: list(
      'What must hold for single values',
      object('An assertion', {
        path: required(text('JSONPath, such as $.status')),
        equals: anyJson('The value there'),
        notEquals: anyJson('A value that is not there'),
        exists: bool('Something is there'),
        notExists: bool('Nothing is there'),
      }),
    ),
    timeoutMs: integer('Time the call may take, in milliseconds', { min: 1, max: 3_600_000 }),
  },
  { extensions: true },
)

export interface TestCaseReading {
  /** Absent when one of the problems is an error. */
  readonly testCase?: TestCase
  readonly problems: readonly PlacedProblem[]
}

export function readTestCase(source: string, file: string, jsonPath: JsonPath): TestCaseReading {
  const { value, problems, problemAt } = readJson(source, file, TEST_CASE)
  const wrong = (value?.assertions ?? []).flatMap((assertion, index) => {
    const at = ['assertions', index]
    const flaw = jsonPath.check(assertion.path ?? '$')
    const isEmpty = !KINDS.some((kind) => kind in assertion)
    return [
      ...(flaw ? [problemAt([...at, 'path'], flaw)] : []),
      ...(isEmpty ? [problemAt(at, { message: `must say one of ${KINDS.join(', ')}` })] : []),
    ]
  })
  const all = [...problems, ...wrong]
  return value === undefined || hasErrors(all)
    ? { problems: all }
    : { testCase: toTestCase(value), problems: all }
}

function toTestCase(file: ValueOf<typeof TEST_CASE>): TestCase {
  return compact<TestCase>({
    name: file.name,
    description: file.description,
    input: file.input ?? {},
    expected: file.expected,
    assertions: file.assertions ?? [],
    timeoutMs: file.timeoutMs,
  })
}
