import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonSchema } from '../../src/model/index.ts'
import { loadSchemaKit } from '../../src/runtime/index.ts'
import { surelyFits } from '../../src/runtime/plain-fit.ts'
import { isPlainSchema } from '../../src/runtime/plain-schema.ts'
import { DEVIATIONS } from './json-schema-deviations.ts'
import { readSuite } from './suite.ts'

interface Group {
  readonly draft: 'draft7' | 'draft2020-12'
  readonly file: string
  readonly description: string
  readonly schema: Json
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[]
}

const DRAFTS = {
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const
const GROUPS = readSuite<Group>('json-schema')

describe('the JSON Schema test suite', async () => {
  const kit = await loadSchemaKit()

  function withDraft({ draft, schema }: Group): JsonSchema {
    return isJsonObject(schema)
      ? { $schema: DRAFTS[draft], ...schema }
      : { $schema: DRAFTS[draft], allOf: [schema] }
  }

  function deviating(group: Group): string[] {
    const { file, description, tests } = group
    const whole = withDraft(group)
    if (kit.check(whole).length > 0) return [`${file} | ${description} | (cannot be used)`]
    return tests
      .filter(({ data, valid }) => (kit.validate(whole, data).length === 0) !== valid)
      .map((test) => `${file} | ${description} | ${test.description}`)
  }

  it.each(['draft7', 'draft2020-12'] as const)(
    'Q105: %s, except for what is listed with its reason',
    (draft) => {
      const groups = GROUPS.filter((group) => group.draft === draft)
      expect(groups.length).toBeGreaterThan(200)
      const listed = DEVIATIONS[draft].flatMap(({ cases }) => cases)
      expect(groups.flatMap(deviating).sort()).toEqual([...listed].sort())
    },
  )

  it.each(['draft7', 'draft2020-12'] as const)('Q105: %s, what is decided without the library', (draft) => {
    const plain = GROUPS.flatMap((group) => {
      const whole = group.draft === draft ? withDraft(group) : undefined
      return whole !== undefined && isPlainSchema(whole) ? [{ ...group, whole }] : []
    })
    expect(plain.length).toBeGreaterThan(60)
    expect(plain.filter(({ whole }) => kit.check(whole).length > 0)).toEqual([])
    const fitting = plain.flatMap(({ whole, tests }) => tests.filter(({ data }) => surelyFits(whole, data)))
    expect(fitting.length).toBeGreaterThan(100)
    expect(fitting.filter(({ valid }) => !valid)).toEqual([])
  })
})
