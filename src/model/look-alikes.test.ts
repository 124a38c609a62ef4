import { describe, expect, it } from 'vitest'
import { looksOf } from './look-alikes.ts'

const looksLike = (one: string, other: string) => looksOf(one).some((look) => looksOf(other).includes(look))

describe('names that are taken for each other', () => {
  it.each([
    ['read_file', 'read-file'],
    ['fs.read', 'fs_read'],
    ['Deploy', 'deploy'],
    ['paypal', 'paypaI'],
    ['fill', 'fi1l'],
    ['login', 'l0gin'],
    ['modern', 'modem'],
    ['view', 'vievv'],
    ['List', 'list'],
    ['INFO', 'info'],
  ])('%s and %s', (one, other) => expect(looksLike(one, other)).toBe(true))

  it.each([
    ['mail', 'mall'],
    ['clock', 'dock'],
    ['step5', 'steps'],
    ['fsread', 'fs.read'],
    ['get', 'set'],
    ['v1', 'v2'],
  ])('not %s and %s', (one, other) => expect(looksLike(one, other)).toBe(false))
})
