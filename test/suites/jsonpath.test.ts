import { describe, expect, it } from 'vitest'
import { loadJsonPath } from '../../src/formats/index.ts'
import type { Json } from '../../src/model/index.ts'
import { readSuite } from './suite.ts'

interface Case {
  readonly name: string
  readonly selector: string
  readonly invalid_selector?: true
  readonly document?: Json
  readonly result?: readonly Json[]
  /** Where RFC 9535 leaves the order open. */
  readonly results?: readonly (readonly Json[])[]
}

const CASES = readSuite<Case>('jsonpath')

/** Where we differ on purpose, each with its reason. */
const DEVIATIONS: Readonly<Record<string, string>> = {}

describe('the JSONPath compliance suite of RFC 9535', async () => {
  const jsonPath = await loadJsonPath()

  function passes({ selector, invalid_selector, document = null, result, results }: Case): boolean {
    if (invalid_selector) return jsonPath.check(selector) !== undefined
    const selected = jsonPath.select(selector, document)
    if ('problem' in selected) return false
    const found = JSON.stringify(selected.values)
    return (results ?? [result]).some((expected) => JSON.stringify(expected) === found)
  }

  it('Q109: every case passes, except those that are listed with a reason', () => {
    expect(CASES.length).toBeGreaterThan(700)
    const failing = CASES.filter((one) => !passes(one)).map(({ name }) => name)
    expect(failing).toEqual(Object.keys(DEVIATIONS))
  })
})
