import { describe, expect, it } from 'vitest'
import { offeredDifferences } from './definition.ts'

const read = { name: 'read', description: 'Reads', inputSchema: { type: 'object', properties: {} } }

describe('what a server offers', () => {
  it('Q103: every part that changed is named, the order of keys does not count', () => {
    const same = { inputSchema: { properties: {}, type: 'object' }, description: 'Reads', name: 'read' }
    expect(offeredDifferences([read], [same])).toEqual([])
    expect(offeredDifferences([read], [])).toEqual([])
    const other = { ...read, description: 'x', annotations: { readOnlyHint: true }, inputSchema: {} }
    expect(offeredDifferences([read], [other, { name: 'new' }])).toEqual([
      { tool: 'read', what: 'has another description, input schema, annotations' },
      { tool: 'new', what: 'is new' },
    ])
  })
})
