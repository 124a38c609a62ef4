import { describe, expect, it } from 'vitest'
import { findHidden, findHiddenIn, showHidden, showHiddenIn } from './hidden-text.ts'

describe('hidden characters', () => {
  it.each([
    ['a zero-width space', 'a\u200bb', 'U+200B'],
    ['a joiner between Latin letters', 'a\u200db', 'U+200D'],
    ['a run of joiners between letters that need one', 'ن\u200c\u200cم', 'U+200C'],
    ['a byte order mark', '\ufeffa', 'U+FEFF'],
    ['a word joiner', 'a\u2060b', 'U+2060'],
    ['a soft hyphen', 'pass\u00adword', 'U+00AD'],
    ['a right-to-left override', 'a\u202eb', 'U+202E'],
    ['an isolate', 'a\u2066b', 'U+2066'],
    ['an Arabic letter mark', 'a\u061cb', 'U+061C'],
    ['tag characters', 'a\u{e0049}\u{e0067}', 'U+E0049'],
    ['an escape', 'a\u001b[2J', 'U+001B'],
    ['a C1 control', 'a\u009b2J', 'U+009B'],
    ['a lone carriage return', 'good\rbad', 'U+000D'],
    ['NUL', 'a\0', 'U+0000'],
    ['a variation selector after a letter', 'a\ufe0fb', 'U+FE0F'],
    ['variation selectors in a row', '😀\ufe0f\ufe0f', 'U+FE0F'],
    ['a supplementary variation selector', '😀\u{e0101}', 'U+E0101'],
    ['a Hangul filler', 'a\u3164b', 'U+3164'],
    ['a grapheme joiner', 'a\u034fb', 'U+034F'],
    ['a private-use character', 'a\ue000b', 'U+E000'],
    ['half a pair', 'a\ud83d', 'U+D83D'],
    ['a line separator', 'a\u2028b', 'U+2028'],
    ['an interlinear annotation', 'a\ufff9b', 'U+FFF9'],
  ])('finds %s', (_, text, code) => {
    expect(findHidden(text)?.code).toBe(code)
    expect(findHidden(showHidden(text))).toBeUndefined()
  })

  it.each([
    'plain text, with\nlines\r\nand\ttabs',
    'größer, naïve, Ελληνικά, русский, 漢字かな, 한국어, עברית, العربية',
    'می\u200cخواهم', // Persian needs it
    'क्\u200dष', // and so does Devanagari
    'family 👨\u200d👩\u200d👧, warning ⚠\ufe0f, key 1\ufe0f\u20e3, flag 🏳\ufe0f\u200d🌈, wave 👋🏽',
    '“quotes” – dashes — €£ → ✓',
  ])('leaves %j as it is', (text) => {
    expect(findHidden(text)).toBeUndefined()
    expect(showHidden(text)).toBe(text)
  })

  it('looks into every text of a value, and at the names of its members', () => {
    const schema = { type: 'object', properties: { a: { enum: ['x', 'y\u200b'] } } }
    expect(findHiddenIn(schema)).toMatchObject({ path: ['properties', 'a', 'enum', 1], onKey: false })
    expect(findHiddenIn({ properties: { 'a\u202e': {} } })).toMatchObject({ onKey: true, code: 'U+202E' })
    expect(findHiddenIn({ a: [1, null, true, 'fine'] })).toBeUndefined()
    expect(showHiddenIn({ 'a\u200b': ['\u202e', 1] })).toEqual({ 'a\\u{200b}': ['\\u{202e}', 1] })
  })

  it('is quick on what is long and odd', () => {
    const started = performance.now()
    findHidden(`${'😀\u200d'.repeat(100_000)}😀`)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
