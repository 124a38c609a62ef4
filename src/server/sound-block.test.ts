import { specTypeSchemas } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../model/index.ts'
import { soundBlock } from './sound-block.ts'

const SOUND: readonly JsonObject[] = [
  { type: 'text', text: 'x' },
  {
    type: 'text',
    text: 'x',
    _meta: { a: 1 },
    annotations: { audience: ['user'], lastModified: '2024-02-29T23:59:59Z' },
  },
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  { type: 'audio', data: '', mimeType: 'audio/wav', annotations: { priority: 1 } },
  { type: 'resource', resource: { uri: 'a:b', text: 'x', mimeType: 'text/plain' } },
  { type: 'resource', resource: { uri: 'a:b', blob: 'aGk', _meta: {} } },
  {
    type: 'resource_link',
    uri: 'a:b',
    name: 'x',
    title: 'X',
    size: 3,
    icons: [{ src: 'data:,', sizes: ['any'] }],
  },
]

describe('a content block', () => {
  it.each(SOUND)('that is sound stays what it is: %j', (block) => {
    expect(soundBlock(block)).toEqual(block)
  })

  it.each<JsonObject>([
    { type: 'nonsense' },
    {},
    { type: 'text', text: 5 },
    { type: 'image', data: 'not base64!', mimeType: 'image/png' },
    { type: 'image', data: 'aGk=' },
    { type: 'resource', resource: { uri: 'a:b' } },
    { type: 'resource_link', uri: 'a:b' },
    { type: 'constructor' },
  ])('that is odd travels as text: %j', (block) => {
    expect(soundBlock(block)).toEqual({ type: 'text', text: JSON.stringify(block) })
  })

  it('loses what clients would refuse it for', () => {
    expect(
      soundBlock({ type: 'text', text: 'x', annotations: { audience: ['nobody'] }, _meta: 5, extra: 1 }),
    ).toEqual({ type: 'text', text: 'x' })
    expect(
      soundBlock({ type: 'text', text: 'x', annotations: { lastModified: '2023-02-29T00:00:00Z' } }),
    ).toEqual({
      type: 'text',
      text: 'x',
    })
  })

  it('is one that clients accept, whatever it was', () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('text', 'image', 'aGk=', 'a:b'))
    const key = fc.constantFrom(...new Set(SOUND.flatMap((block) => Object.keys(block))))
    fc.assert(
      fc.property(
        fc.constantFrom(...SOUND),
        fc.array(fc.tuple(key, value), { maxLength: 3 }),
        (block, changes) => {
          const odd = { ...block, ...Object.fromEntries(changes) } as JsonObject
          const verdict = specTypeSchemas.ContentBlock['~standard'].validate(soundBlock(odd))
          expect(verdict).not.toHaveProperty('issues')
        },
      ),
    )
  })
})
