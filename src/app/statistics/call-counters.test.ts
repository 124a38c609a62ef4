import { expect, it } from 'vitest'
import { measured } from '../../../test/measurement.ts'
import { createCallCounters } from './call-counters.ts'

it('Q94: however many tools there are, few are told apart', () => {
  const counters = createCallCounters()
  for (let i = 0; i < 1_500; i++) counters.heard(measured(`tool${i}`))
  for (let i = 0; i < 10; i++) counters.heard({ ...measured(`x${i}`), reason: 'not_found' })
  const all = counters.all()
  expect(all).toHaveLength(1_001)
  expect(all.find(({ tool }) => tool === '(others)')?.outcomes.get('ok')).toBe(500)
  expect(counters.unknown()).toBe(10)
})
