import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../model/index.ts'
import { loadJsonPath } from './jsonpath.ts'
import { LIGHT_JSON_PATH, LIGHT_PATTERNS, lightFirst, NotSimple } from './light-first.ts'
import { loadPatterns } from './mcpkg/patterns.ts'

describe('work that most often needs no library', async () => {
  const library = await loadJsonPath()

  it('is done once when it met nothing else, and again when it did', async () => {
    const tried: string[] = []
    const work = (path: string) =>
      lightFirst(LIGHT_JSON_PATH, loadJsonPath, (judge) => {
        tried.push(path)
        return judge.check(path)
      })
    expect(await work('$.a[0]')).toBeUndefined()
    expect(await work('$..a')).toBeUndefined()
    expect(await work('$.')).toMatchObject({ message: expect.stringContaining('is not a JSONPath') })
    expect(tried).toEqual(['$.a[0]', '$..a', '$..a', '$.', '$.'])
  })

  it('fails as it fails', async () => {
    const work = () => {
      throw new Error('mine')
    }
    await expect(lightFirst(LIGHT_JSON_PATH, loadJsonPath, work)).rejects.toThrow('mine')
  })

  it('leaves every pattern to the library', async () => {
    expect(() => LIGHT_PATTERNS.find('a', 'a')).toThrow(NotSimple)
    expect(await lightFirst(LIGHT_PATTERNS, loadPatterns, (judge) => judge.check('a'))).toBeUndefined()
  })

  it('property: the library agrees on every path that is decided without it', () => {
    const part = fc.constantFrom(
      '.a',
      '.b',
      '[0]',
      '[1]',
      '[01]',
      '.1',
      '..',
      '[*]',
      "['a']",
      '.__proto__',
      '',
    )
    const value: Json = { a: [{ b: null }, 1], b: { a: 'text', b: [0, [2]] } }
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const path = `$${parts.join('')}`
        let decided: ReturnType<typeof library.select>
        try {
          expect(LIGHT_JSON_PATH.check(path)).toBeUndefined()
          decided = LIGHT_JSON_PATH.select(path, value)
        } catch (error) {
          expect(error).toBeInstanceOf(NotSimple)
          return
        }
        expect(library.check(path)).toBeUndefined()
        expect(library.select(path, value)).toEqual(decided)
      }),
      { numRuns: 500 },
    )
  })
})
