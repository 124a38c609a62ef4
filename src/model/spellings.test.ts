import { describe, expect, it } from 'vitest'
import { hiderOf } from './spellings.ts'

const SECRET = 'p@ss/w"ör+d=42\\x'

describe('a secret', () => {
  const hide = hiderOf([SECRET])
  const bytes = Buffer.from(SECRET)
  it.each([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify({ SECRET })],
    ['in JSON within JSON', JSON.stringify({ printed: JSON.stringify({ SECRET }) })],
    ['in a URL', `https://x/?key=${encodeURIComponent(SECRET)}`],
    ['in a URL, in small letters', encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ key: SECRET }).toString()],
    ['in base64', bytes.toString('base64')],
    ['in base64url', bytes.toString('base64url')],
    ['in hex', bytes.toString('hex')],
    ['in HEX', bytes.toString('hex').toUpperCase()],
  ])('is taken out %s', (_, text) => {
    expect(hide(text)).toContain('[secret]')
    expect(decodings(hide(text)).join('\n')).not.toContain(SECRET)
  })

  it.each(['u:', 'us:', 'user:'])('is taken out of a header after %s', (before) => {
    const header = `Basic ${Buffer.from(`${before}${SECRET} and more`).toString('base64')}`
    expect(hide(header)).toContain('[secret]')
    expect(decodings(hide(header).slice(6)).join('\n')).not.toContain(SECRET)
  })

  it('that is no secret for its shortness stays', () => {
    expect(hiderOf(['abc'])('abc')).toBe('abc')
  })

  it('of which another is a part goes whole', () => {
    expect(hiderOf(['token', 'token-of-ada'])('token-of-ada token')).toBe('[secret] [secret]')
  })
})

function decodings(text: string): string[] {
  return [text, Buffer.from(text, 'base64').toString(), Buffer.from(text, 'hex').toString()]
}
