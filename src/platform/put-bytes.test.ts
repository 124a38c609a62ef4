import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MOST_NUMBER_BYTES, putBytes, putHundredths, putNumber } from './put-bytes.ts'

const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.nat(10_000).map((hundredth) => hundredth / 100),
  fc.constantFrom(0, -0, 9, 10, 99, 100, 999_999_999, 1e9, 0.005, 0.995, 9_999_999.99, 1e21, -1),
)

const AT = 3

function written(put: (room: Uint8Array, at: number) => number): string {
  const room = new Uint8Array(AT + MOST_NUMBER_BYTES)
  const end = put(room, AT)
  expect(end).toBeLessThanOrEqual(room.length)
  expect([...room.subarray(0, AT), ...room.subarray(end)].every((byte) => byte === 0)).toBe(true)
  return Buffer.from(room.subarray(AT, end)).toString()
}

it('numbers are put as JSON has them, in no more room than is said', () => {
  fc.assert(
    fc.property(number, (value) => {
      expect(written((room, at) => putNumber(room, at, value))).toBe(JSON.stringify(value))
      const rounded = JSON.stringify(Math.round(value * 100) / 100)
      expect(written((room, at) => putHundredths(room, at, value))).toBe(rounded)
    }),
    { numRuns: 2_000 },
  )
})

it('bytes are put as they are', () => {
  expect(written((room, at) => putBytes(room, at, Buffer.from('é')))).toBe('é')
})
