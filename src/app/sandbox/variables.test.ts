import { describe, expect, it } from 'vitest'
import type { Origin } from '../../model/index.ts'
import { limitsOf } from './resolve.ts'
import { grantedVariables } from './variables.ts'

const origin = (permissions: readonly string[] | null): Origin => ({
  kind: 'package',
  file: '/p/x',
  folder: '/p',
  scope: 'project',
  package: { name: 'x', permissions, limits: {} },
})

describe('the variables of a package', () => {
  const env = { PATH: '/bin', TOKEN: 't', OTHER: 'o' }

  it('Q91: are without those it asks for and nobody granted', () => {
    const asks = origin(['env:TOKEN', 'secret:OTHER'])
    const some = { permissions: ['env:TOKEN'], unenforced: [] }
    expect(grantedVariables(env, asks, some)).toEqual({ PATH: '/bin', TOKEN: 't' })
    const all = { permissions: ['env:TOKEN', 'secret:OTHER'], unenforced: [] }
    expect(grantedVariables(env, asks, all)).toBe(env)
  })
})

describe('the limits of a package', () => {
  const none = { timeoutMs: null, cpuMs: null, memoryBytes: null, processes: null, fileBytes: null }

  it('Q88, Q91: are the smaller of its own and of those for everyone', () => {
    const most = { ...none, cpuMs: 1000, memoryBytes: 50 }
    expect(limitsOf({ cpuMs: 5000, processes: 3 }, most)).toEqual({
      cpuMs: 1000,
      memoryBytes: 50,
      processes: 3,
    })
    expect(limitsOf({}, none)).toEqual({})
  })

  it('leave out the time of a process that serves many calls', () => {
    expect(limitsOf({ cpuMs: 5000, fileBytes: 1 }, none, true)).toEqual({ fileBytes: 1 })
  })
})
