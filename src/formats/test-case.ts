import type { Json, JsonObject, JsonSchema } from '../model/index.ts'
import { compact } from './compact.ts'
import { readJson } from './json.ts'
import type { JsonPath } from './jsonpath.ts'
import type { JudgeKit } from './judge.ts'
import { hasErrors, type PlacedProblem } from './placed.ts'
import {
  anyJson,
  anyObject,
  bool,
  type Flaw,
  integer,
  object,
  oneOf,
  patchy,
  required,
  type Shape,
  show,
  text,
  type ValueOf,
  words,
} from './shape.ts'

/** One scenario of tests/*.test.json (MCPKG §5). */
export interface TestCase {
  readonly name: string
  readonly description?: string
  /** Which of the tools, where a package has several. */
  readonly tool?: string
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
  /** A regular expression found in the text there. */
  readonly matches?: string
  /** A text in the text, an element of the list, or a part of the map there. */
  readonly contains?: Json
  readonly greaterThan?: number
  readonly lessThan?: number
  /** Of characters, elements or keys. */
  readonly length?: number
  readonly type?: (typeof TYPES)[number]
  readonly schema?: JsonSchema
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const

const KINDS = {
  equals: anyJson('The value there'),
  notEquals: anyJson('A value that is not there'),
  exists: bool('Something is there'),
  notExists: bool('Nothing is there'),
  matches: text('A regular expression found in the text there'),
  contains: anyJson('A text in the text, an element of the list, or a part of the map there'),
  greaterThan: amount('The number there is greater'),
  lessThan: amount('The number there is less'),
  length: integer('How many characters, elements or keys are there', {
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  }),
  type: oneOf('What kind of value is there', TYPES),
  schema: anyObject('JSON Schema of the value there'),
}

const TEST_CASE = object(
  'One test of a tool',
  {
    name: required(words('Name of the test')),
    description: text('What it shows'),
    tool: text('Which tool, where an MCP server in a capsule has several'),
    input: anyObject('Arguments of the call'),
    expected: anyJson('What the result must at least contain'),
    assertions: patchy(
      'What must hold for single values',
      object('An assertion', { path: required(text('JSONPath, such as $.status')), ...KINDS }),
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

/** What else may be known when a test is read. */
export interface TestCaseKit extends JudgeKit {
  /** What is wrong with its input, by the schema of the tool. */
  readonly checkInput?: (input: JsonObject) => readonly string[]
}

export function readTestCase(
  source: string,
  file: string,
  jsonPath: JsonPath,
  kit: TestCaseKit = {},
): TestCaseReading {
  const { value, problems, problemAt } = readJson(source, file, TEST_CASE)
  const isFlawed = (index: number) =>
    Object.keys(KINDS).some((kind) =>
      problems.some(({ pointer }) => pointer === `/assertions/${index}/${kind}`),
    )
  const wrong = (value?.assertions ?? []).flatMap((assertion, index) =>
    assertion === undefined
      ? []
      : flawsOf(assertion, jsonPath, kit, isFlawed(index)).map(({ at, ...flaw }) =>
          problemAt(['assertions', index, ...at], flaw),
        ),
  )
  const isInputRead = value !== undefined && !problems.some(({ pointer }) => pointer.startsWith('/input'))
  const misfits = isInputRead ? (kit.checkInput?.(value.input ?? {}) ?? []) : []
  const all = [
    ...problems,
    ...wrong,
    ...misfits.map((message) =>
      problemAt(['input'], { message: `does not fit \`input_schema\`: ${message}` }),
    ),
  ]
  return value === undefined || hasErrors(all)
    ? { problems: all }
    : { testCase: toTestCase(value), problems: all }
}

/** What a shape cannot see. */
function flawsOf(
  assertion: Partial<Assertion>,
  jsonPath: JsonPath,
  { patterns, schemas }: JudgeKit,
  isFlawed: boolean,
): (Flaw & { readonly at: readonly string[] })[] {
  const { path = '$', matches, schema } = assertion
  const inPath = jsonPath.check(path)
  const inPattern = matches === undefined ? undefined : patterns?.check(matches)
  const inSchema = schema === undefined ? [] : (schemas?.check(schema) ?? [])
  const names = Object.keys(KINDS)
  const isEmpty = !isFlawed && !names.some((kind) => kind in assertion)
  return [
    ...(inPath ? [{ at: ['path'], ...inPath }] : []),
    ...(inPattern ? [{ at: ['matches'], ...inPattern }] : []),
    ...inSchema.map((reason) => ({ at: ['schema'], message: `is not a JSON Schema: ${reason}` })),
    ...(isEmpty ? [{ at: [], message: `must say one of ${names.join(', ')}` }] : []),
  ]
}

/** Any number. */
function amount(about: string): Shape<number> {
  return {
    about,
    schema: () => ({ type: 'number', description: about }),
    fromText: Number,
    read(value, path, issues) {
      if (typeof value === 'number') return value
      issues.push({ path, message: `must be a number, not ${show(value)}` })
      return undefined
    },
  }
}

function toTestCase(file: ValueOf<typeof TEST_CASE>): TestCase {
  return compact<TestCase>({
    name: file.name,
    description: file.description,
    tool: file.tool,
    input: file.input ?? {},
    expected: file.expected,
    assertions: (file.assertions ?? []).filter((assertion) => assertion !== undefined),
    timeoutMs: file.timeoutMs,
  })
}
