import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { harmlessJson } from '../model/index.ts'
import { jsonable, renderJson } from './log-json.ts'

const value = fc.oneof(
  anyText(),
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom(null, undefined, new Error('no'), new Date(0), () => 1, Symbol('s'), [1n, undefined]),
  fc.object(),
)
const key = fc.oneof(fc.stringMatching(/^[a-z_]{1,12}$/), fc.constantFrom('time', 'level', 'msg', 'a"b'))

it('Q29: a record is what JSON.stringify makes of it, with nothing in it that a screen obeys', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
      anyText(),
      fc.dictionary(key, value),
      (time, msg, fields) => {
        for (const name of ['time', 'level', 'msg']) if (fields[name] === undefined) delete fields[name]
        const whole = { time: time.toISOString(), level: 'info', msg, ...fields }
        expect(renderJson(time, 'info', msg, fields)).toBe(harmlessJson(JSON.stringify(whole, jsonable)))
      },
    ),
    { numRuns: 500 },
  )
})
