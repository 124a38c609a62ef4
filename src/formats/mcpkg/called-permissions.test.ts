import { describe, expect, it } from 'vitest'
import { calledPermissions } from './called-permissions.ts'

const TOOLS = new Map([
  ['read', { permissions: ['filesystem:read'], calls: [] }],
  ['send', { permissions: ['network:a.example', 'filesystem:read'], calls: [] }],
  ['both', { permissions: [], calls: ['read', 'send', 'around'] }],
  ['around', { permissions: ['env:HOME'], calls: ['both'] }],
])
const union = (...calls: string[]) => calledPermissions(calls, (name) => TOOLS.get(name))

describe('what a chain may do through its tools', () => {
  it('Q118: is the union of what they may do, each word once, with whose it is', () => {
    expect(union('read', 'send', 'read')).toEqual([
      { word: 'filesystem:read', tools: ['read', 'send'] },
      { word: 'network:a.example', tools: ['send'] },
    ])
  })

  it('Q118: goes through chains of chains, and ends where they go in a circle', () => {
    expect(union('both').map(({ word }) => word)).toEqual([
      'filesystem:read',
      'network:a.example',
      'env:HOME',
    ])
    expect(union('nobody')).toEqual([])
  })
})
