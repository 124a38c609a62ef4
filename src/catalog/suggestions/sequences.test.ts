import { describe, expect, it } from 'vitest'
import { keepArgument, keepOutput } from '../../formats/index.ts'
import type { CallRecord, Json, JsonObject, Tool } from '../../model/index.ts'
import { draftOf, mappingOf } from './draft.ts'
import { isSameChain } from './same-chain.ts'
import { findSequences } from './sequences.ts'
import { chainName, stepNames } from './step-names.ts'

const hash = (text: string) => `#${text}`
const KEEPING = { hash, isSecret: () => false, withValues: false }
let clock = 0

function call(tool: string, input: JsonObject, output: Json, who = 'one'): CallRecord {
  clock += 1000
  return {
    at: clock,
    who,
    tool,
    version: '1.0.0',
    input: Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, keepArgument(name, value, KEEPING)]),
    ),
    output: keepOutput(output, KEEPING),
  }
}

const later = (ms: number) => {
  clock += ms
}
const find = (name: string, who?: string) => call('find', { name }, { id: `id of ${name}` }, who)
const fetch = (name: string, who?: string, more: JsonObject = {}) =>
  call('fetch', { customer: `id of ${name}`, ...more }, { text: `text of ${name}` }, who)
const mail = (name: string, who?: string) => call('mail', { body: `text of ${name}` }, 'sent', who)
const tools = (records: readonly CallRecord[]) => findSequences(records).map((one) => one.tools.join(' '))

describe('sequences of calls', () => {
  it('Q122: are found when an output was an argument twice, with different values', () => {
    expect(tools([find('ada'), fetch('ada'), find('bob'), fetch('bob')])).toEqual(['find fetch'])
    expect(tools([find('ada'), fetch('ada')])).toEqual([])
    expect(tools([find('ada'), fetch('ada'), find('ada'), fetch('ada')])).toEqual([])
    expect(tools([])).toEqual([])
  })

  it('Q122: are the longest that were seen as often', () => {
    const twice = ['ada', 'bob'].flatMap((name) => [find(name), fetch(name), mail(name)])
    expect(tools(twice)).toEqual(['find fetch mail'])
    // The first two were done once more: they are a sequence of their own.
    expect(tools([...twice, find('cleo'), fetch('cleo')]).sort()).toEqual(['find fetch', 'find fetch mail'])
  })

  it('Q122: belong to one connection and one piece of work', () => {
    expect(tools([find('ada', 'a'), fetch('ada', 'b'), find('bob', 'a'), fetch('bob', 'b')])).toEqual([])
    const paused = ['ada', 'bob'].flatMap((name) => {
      const first = find(name)
      later(60 * 60_000)
      return [first, fetch(name)]
    })
    expect(tools(paused)).toEqual([])
    const mixed = [
      find('ada'),
      find('bob'),
      fetch('bob'),
      fetch('ada'),
      call('other', { x: 'nothing of it' }, 1),
    ]
    expect(tools(mixed)).toEqual(['find fetch'])
  })

  it('Q122: are not made of words that everyone uses, nor of what the caller had before', () => {
    const flags = ['ada', 'bob'].flatMap((name, index) => [
      call('a', { name }, { ok: true, n: index }),
      call('b', { really: true, n: index }, 1),
    ])
    expect(tools(flags)).toEqual([])
    const echoed = ['ada-4711', 'bob-4711'].flatMap((name) => [
      call('a', { file: name }, { file: name }),
      call('b', { file: name }, 1),
    ])
    expect(tools(echoed)).toEqual([])
  })

  it('Q122: score more the more often they were seen, and the less their first tool did otherwise', () => {
    const score = (...records: CallRecord[]) => findSequences(records)[0]?.score ?? 0
    const two = () => ['ada', 'bob'].flatMap((name) => [find(name), fetch(name)])
    expect(score(...two(), find('cleo'), fetch('cleo'))).toBeGreaterThan(score(...two()))
    expect(score(...two(), find('dora'), find('emil'))).toBeLessThan(score(...two()))
  })
})

describe('a draft', () => {
  const served = new Map(
    ['find', 'fetch', 'mail'].map((name) => {
      const inputSchema = {
        type: 'object',
        properties: { detail: { enum: ['short', 'long'] }, name: { $ref: '#/x' } },
      }
      return [name, { name, inputSchema, outputSchema: { title: name } } as unknown as Tool] // no more is looked at
    }),
  )
  const draft = (records: readonly CallRecord[]) => {
    const [first] = findSequences(records)
    if (first === undefined) throw new Error('nothing was found')
    return draftOf(first, { tools: served, hash: (value) => hash(JSON.stringify(value)) })
  }

  it('Q122: maps outputs, literals that can be known, and what varied', () => {
    const { steps, inputSchema, outputSchema } = draft(
      ['ada', 'bob'].flatMap((name) => [
        find(name),
        fetch(name, 'one', {
          detail: 'short',
          limit: 5,
          label: 'not to be guessed',
          to: `${name}@example.org`,
        }),
      ]),
    )
    expect(steps.map(mappingOf)).toEqual([
      { name: '$.input.name' },
      {
        customer: '$.find.id',
        detail: 'short',
        limit: 5,
        label: '$.input.label',
        to: '$.input.to',
      },
    ])
    expect(inputSchema).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, label: { type: 'string' }, to: { type: 'string' } },
      required: ['name', 'label', 'to'],
    })
    expect(outputSchema).toEqual({ title: 'fetch' })
  })

  it('Q122: does not say that a secret was always the same', () => {
    const { steps, inputSchema } = draft(
      ['ada', 'bob'].flatMap((name) => [find(name), fetch(name, 'one', { token: `of ${name}` })]),
    )
    expect(steps[1]?.arguments).toContainEqual({
      name: 'token',
      kind: 'input',
      values: 0,
      mapping: '$.input.token',
    })
    expect(inputSchema.required).toEqual(['name', 'token'])
  })

  it('Q122: one input where two arguments were always the same, two where they were not', () => {
    const runs = (other: (name: string) => string) =>
      ['adam', 'beth'].flatMap((name) => [find(name), fetch(name, 'one', { name: other(name) })])
    expect(mappingOf(draft(runs((name) => name)).steps[1] ?? fail())).toMatchObject({ name: '$.input.name' })
    expect(mappingOf(draft(runs((name) => `not ${name}`)).steps[1] ?? fail())).toMatchObject({
      name: '$.input.fetch_name',
    })
  })

  it('Q122: an argument that was left out once is not required', () => {
    const records = ['ada', 'bob'].flatMap((name) => [
      find(name),
      fetch(name, 'one', name === 'ada' ? { note: 'something else' } : {}),
    ])
    expect(draft(records).inputSchema.required).toEqual(['name'])
  })

  it('Q122: is the same as a chain that does the same under other names', () => {
    const { steps } = draft(['ada', 'bob'].flatMap((name) => [find(name), fetch(name)]))
    const chain = (path: string) =>
      [
        {
          step: 'a',
          outputKey: 'first',
          tool: 'find',
          input: { name: { kind: 'path', path: '$.input.who' } },
        },
        { step: 'b', outputKey: 'b', tool: 'fetch', input: { customer: { kind: 'path', path } } },
      ].map((step) => ({
        concurrency: 4,
        retry: 0,
        optional: false,
        parallel: false,
        ...step,
      })) as Parameters<typeof isSameChain>[0] // written by hand
    expect(isSameChain(chain('$.first.id'), steps)).toBe(true)
    expect(isSameChain(chain('$.a.id'), steps)).toBe(true)
    expect(isSameChain(chain('$.first.other'), steps)).toBe(false)
  })

  it('Q122: its steps have names that a manifest allows', () => {
    expect(stepNames(['acme.a.input', 'x.input', '7zip', 'a-b', 'x.a-b'])).toEqual([
      'input_step',
      'input_step_2',
      '_7zip',
      'a_b',
      'a_b_2',
    ])
    expect(chainName(['Read', 'clean'])).toBe('local.chains.read_clean')
  })
})

function fail(): never {
  throw new Error('there is no such step')
}
