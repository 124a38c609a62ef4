import { basename } from 'node:path'
import {
  type JsonPath,
  type JudgeKit,
  loadJsonPath,
  loadPatterns,
  readTestCase,
  type TestCase,
} from '../../formats/index.ts'
import type { Tool } from '../../model/index.ts'
import { readTextIfThere } from '../../platform/index.ts'
import { loadSchemaKit } from '../../runtime/index.ts'

/** A package whose tests are run, whichever format it has. */
export interface TestSubject {
  readonly name: string
  readonly tools: readonly Tool[]
  readonly folder: string
  /** Absolute, in the order in which they are told. */
  readonly testFiles: readonly string[]
  /** Why it has no tools here. */
  readonly problem?: string
}

/** One test as it was found. */
export interface FoundTest {
  readonly subject: TestSubject
  readonly file: string
  readonly name: string
  /** Absent when it cannot be read; the problems say why. */
  readonly testCase?: TestCase
  readonly problems: readonly string[]
}

/** What reading and judging tests takes; loaded once for all of them. */
export interface TestKit extends Required<JudgeKit> {
  readonly jsonPath: JsonPath
}

export async function loadTestKit(): Promise<TestKit> {
  const [jsonPath, patterns, schemas] = await Promise.all([loadJsonPath(), loadPatterns(), loadSchemaKit()])
  return { jsonPath, patterns, schemas }
}

export function readTests(subject: TestSubject, kit: TestKit): FoundTest[] {
  return subject.testFiles.map((file) => {
    const text = readTextIfThere(file)
    if (text === undefined)
      return { subject, file, name: basename(file), problems: ['there is no such file'] }
    const { testCase, problems } = readTestCase(text, file, kit.jsonPath, kit)
    if (testCase !== undefined) return { subject, file, name: testCase.name, testCase, problems: [] }
    const errors = problems.filter(({ severity }) => severity === 'error')
    return {
      subject,
      file,
      name: basename(file),
      problems: errors.map(({ line, column, message }) => `${line}:${column}: ${message}`),
    }
  })
}
