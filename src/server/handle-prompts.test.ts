import { expect, it } from 'vitest'
import type { Catalog, Prompt } from '../model/index.ts'
import { getPrompt, listPrompts } from './handle-prompts.ts'

function catalogOf(...prompts: readonly Prompt[]): Catalog {
  return { tools: new Map(), problems: [], prompts }
}

function prompt(name: string, text = '', ...names: readonly string[]): Prompt {
  return { name, arguments: names.map((argument) => ({ name: argument, required: false })), text }
}

it('in safe style prompts have no dots, as tools have none', () => {
  const catalog = catalogOf(prompt('a.b', 'dotted'), prompt('c.d'), prompt('c_d'))
  const names = listPrompts(catalog, 'safe').prompts.map(({ name }) => name)
  expect(names).toEqual(['a_b', 'c.d', 'c_d'])
  expect(getPrompt(catalog, 'safe', 'a_b', {}).messages[0]?.content.text).toBe('dotted')
  expect(() => getPrompt(catalog, 'raw', 'a_b', {})).toThrow('did you mean `a.b`?')
})

it('the list does not carry the texts', () => {
  const catalog = catalogOf(prompt('p', 'secret sauce'))
  expect(JSON.stringify(listPrompts(catalog, 'raw'))).not.toContain('secret')
})

it('names that every object has are given by nobody', () => {
  const text = '[{{constructor}}][{{toString}}]'
  const catalog = catalogOf(prompt('p', text, 'constructor', 'toString'))
  expect(getPrompt(catalog, 'raw', 'p', {}).messages[0]?.content.text).toBe('[][]')
})

it('a text with many places cannot be blown up', () => {
  const catalog = catalogOf(prompt('p', '{{x}}'.repeat(1_000), 'x'))
  expect(() => getPrompt(catalog, 'raw', 'p', { x: 'x'.repeat(1_000_000) })).toThrow(
    expect.objectContaining({ code: -32602, message: 'The arguments make the prompt too long' }),
  )
})

it('without any there is nothing to choose from', () => {
  const catalog: Catalog = { tools: new Map(), problems: [] }
  expect(listPrompts(catalog, 'raw')).toEqual({ prompts: [] })
  expect(() => getPrompt(catalog, 'raw', 'p', {})).toThrow(
    'There is no prompt called `p` (list the prompts to see their names)',
  )
})
