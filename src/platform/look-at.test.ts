import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { describeLook, entriesOf } from './look-at.contract.ts'
import { LOOK_NUMBERS, lookAt, lookFrom, lookWithNode } from './look-at.ts'
import { buildNative } from './native.contract.ts'

const MANY = 200
const base = mkdtempSync(join(tmpdir(), 'look-from-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** A folder of a program, with what is there as its library. */
function programWith(name: string, library?: string | Buffer): string {
  const folder = join(base, name)
  mkdirSync(folder)
  if (typeof library === 'string') copyFileSync(library, join(folder, 'looker.node'))
  else if (library !== undefined) writeFileSync(join(folder, 'looker.node'), library)
  return folder
}

const inUse = (folder: string) =>
  readFileSync('/proc/self/maps', 'utf8').includes(join(folder, 'looker.node'))

function look(count: number): readonly number[] {
  const into = new Float64Array(count * LOOK_NUMBERS)
  expect(lookAt(entriesOf(Array(count).fill(process.execPath), 'l'), into)).toBe(count)
  return [...into]
}

describeLook('lookWithNode', lookWithNode)

describe('lookAt', () => {
  describeLook('before it is told where the program lies', lookAt)

  it('sees the same with no library and with one that cannot be loaded', () => {
    const expected = look(MANY)
    for (const folder of [programWith('none'), programWith('odd', Buffer.from('#!/bin/sh\n')), '/dev/null']) {
      lookFrom(folder)
      expect(look(MANY)).toEqual(expected)
      expect(look(1)).toEqual(expected.slice(0, LOOK_NUMBERS))
    }
  })

  const built = buildNative('build-looker.mjs', 'looker.node', [])
  describe.skipIf(!existsSync(built))('with the library', () => {
    it('loads it when there is much to look at', () => {
      const folder = programWith('good', built)
      lookFrom(folder)
      expect(look(1)).toHaveLength(LOOK_NUMBERS)
      expect(inUse(folder)).toBe(false)
      look(MANY)
      expect(inUse(folder)).toBe(true)
    })

    describeLook('which is in use', lookAt)
  })
})
