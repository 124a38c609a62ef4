import { basename } from 'node:path'
import { type JsonPath, readTestCase, type TestCase } from '../formats/index.ts'
import { OrlaError, type Tool } from '../model/index.ts'
import { readTextIfThere } from '../platform/index.ts'
import { examplesOf, testsOf } from './package-files.ts'

/** More about one tool would cost every model that reads the list more than it helps. */
const MOST_CHARACTERS = 8_000
const MOST_OF_A_TEST = 500

/** What a model may read about a tool beside its description. */
export interface MoreWords {
  readonly words: readonly string[]
  /** Examples and tests that had no room. */
  readonly leftOut: number
}

/** The examples of its package, as many as there is room for; none is cut in the middle. */
export async function exampleWords({ origin }: Tool): Promise<MoreWords> {
  if (origin.kind !== 'package') return { words: [], leftOut: 0 }
  const files = await examplesOf(origin.folder)
  return fitting(
    files.flatMap((file) => {
      const text = textOf(file)?.trim()
      return text ? [`Example ${basename(file)}:\n${text}`] : []
    }),
  )
}

/** What its tests show, likewise. */
export async function testWords(tool: Tool, jsonPath: JsonPath): Promise<MoreWords> {
  const { origin } = tool
  if (origin.kind !== 'package') return { words: [], leftOut: 0 }
  const cases = (await testsOf(origin.folder)).flatMap((file) => {
    const { testCase } = readTestCase(textOf(file) ?? '', file, jsonPath)
    return testCase !== undefined && isAbout(testCase, tool) ? [caseWords(testCase)] : []
  })
  const short = cases.filter(({ length }) => length <= MOST_OF_A_TEST)
  const { words, leftOut } = fitting(short)
  return {
    words: words.length === 0 ? [] : [['Tested with:', ...words].join('\n')],
    leftOut: leftOut + cases.length - short.length,
  }
}

function fitting(all: readonly string[]): MoreWords {
  let room = MOST_CHARACTERS
  const words = all.filter(({ length }) => {
    if (length > room) return false
    room -= length
    return true
  })
  return { words, leftOut: all.length - words.length }
}

/** A test names its tool where a package has several, without the name of the package. */
function isAbout({ tool }: TestCase, { name }: Tool): boolean {
  return tool === undefined || name === tool || name.endsWith(`.${tool}`)
}

function caseWords({ name, description, input, expected }: TestCase): string {
  const about = description === undefined ? '' : ` (${description})`
  const result = expected === undefined ? '' : ` gives ${JSON.stringify(expected)}`
  return `- ${name}${about}: ${JSON.stringify(input)}${result}`
}

/** A file that cannot be read helps no model and stops nobody. */
function textOf(file: string): string | undefined {
  try {
    return readTextIfThere(file)
  } catch (error) {
    if (error instanceof OrlaError) return undefined
    throw error
  }
}
