import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../test/any-text.ts'
import type { HttpMethod, JsonObject, McpkgAuth } from '../../model/index.ts'
import { httpRequestOf, withToken } from './http-request.ts'

const NO_AUTH: McpkgAuth = { type: 'none', scopes: [], env: [], hints: {} }
const SECRETS: Readonly<Record<string, string>> = {
  KEY: 's3cret',
  ID: 'me&you',
  SECRET: 'p:w',
  LINES: 'a\nb',
  SPACED: ' s3cret\n',
}

function plan(url: string, args: JsonObject, method: HttpMethod = 'GET', auth: Partial<McpkgAuth> = {}) {
  return httpRequestOf(
    { endpoint: { type: 'http', method, url }, auth: { ...NO_AUTH, ...auth } },
    args,
    (name) => SECRETS[name],
  )
}
function request(...words: Parameters<typeof plan>) {
  const made = plan(...words)
  return 'request' in made ? made.request : undefined
}
function problems(...words: Parameters<typeof plan>) {
  const made = plan(...words)
  return 'problems' in made ? made.problems.map(({ message }) => message) : []
}

describe('the request of an http endpoint', () => {
  it.each<HttpMethod>(['POST', 'PUT', 'PATCH', 'OPTIONS'])(
    'Q99: %s sends the arguments as JSON',
    (method) => {
      expect(request('https://example.com/a', { x: 1, y: null, z: ['ü'] }, method)).toEqual({
        method,
        url: 'https://example.com/a',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: '{"x":1,"y":null,"z":["ü"]}',
      })
      expect(request('https://example.com', {}, method)?.body).toBe('{}')
    },
  )

  it.each<HttpMethod>(['GET', 'HEAD', 'DELETE'])('Q99: %s puts them into the query', (method) => {
    const args = {
      q: 'a b&c',
      n: 1,
      on: true,
      none: null,
      tags: ['x', 'y'],
      filter: { a: [1] },
      deep: [[1, 2]],
    }
    expect(request('https://example.com/a?v=1%202', args, method)).toEqual({
      method,
      url: 'https://example.com/a?v=1%202&q=a+b%26c&n=1&on=true&tags=x&tags=y&filter=%7B%22a%22%3A%5B1%5D%7D&deep=%5B1%2C2%5D',
      headers: { accept: 'application/json' },
    })
  })

  it('Q99: {name} in the path takes an argument, encoded, and only there', () => {
    expect(request('https://example.com/u/{id}/{part}', { id: 'a/b?c#d', part: 7, rest: 'r' })?.url).toBe(
      'https://example.com/u/a%2Fb%3Fc%23d/7?rest=r',
    )
    expect(request('https://example.com/u/{id}', { id: true, x: 1 }, 'POST')).toMatchObject({
      url: 'https://example.com/u/true',
      body: '{"x":1}',
    })
  })

  it.each<[string, JsonObject, string]>([
    ['/u/{id}', {}, 'the argument `id` is missing: it is part of the URL'],
    ['/u/{id}', { id: null }, 'the argument `id` is missing: it is part of the URL'],
    ['/u/{id}', { id: '' }, 'the argument `id` must not be empty: it is part of the URL'],
    [
      '/u/{id}',
      { id: {} },
      'the argument `id` must be a text, a number, or true or false: it is part of the URL',
    ],
    ['/u/{id}/x', { id: '..' }, 'the argument `id` must not be ..: as part of the URL it leads elsewhere'],
    ['/u/{id}', { id: '.' }, 'the argument `id` must not be .: as part of the URL it leads elsewhere'],
    ['/u/.{id}', { id: '.' }, 'the argument `id` must not be .: as part of the URL it leads elsewhere'],
    ['/u/{toString}', {}, 'the argument `toString` is missing: it is part of the URL'],
    ['/u/{id}', { id: '\ud800' }, 'the argument `id` has half a character in it'],
    ['/u?v=1', { v: 2 }, 'the argument `v` cannot be sent: the URL already says `v`'],
  ])('Q99: %s with %j is refused', (path, args, message) => {
    expect(problems(`https://example.com${path}`, args)).toEqual([message])
  })

  it('Q99: an argument never changes the way', () => {
    const text = fc.oneof(anyText(), fc.constantFrom('.', '..', '%2e%2e', '../..', '\\..\\', '//x', '@x'))
    fc.assert(
      fc.property(text, text, (a, b) => {
        const made = request('https://example.com/v1/{a}/x/{b}', { a, b })
        if (made === undefined) return
        const url = new URL(made.url)
        expect(url.origin).toBe('https://example.com')
        expect(url.pathname.split('/')).toEqual(['', 'v1', encodeURIComponent(a), 'x', encodeURIComponent(b)])
      }),
    )
  })

  it('never throws', () => {
    const url = fc.oneof(
      fc.webUrl(),
      fc.string().map((text) => `https://example.com/${text}`),
      fc.string(),
    )
    const args = fc
      .dictionary(fc.string(), fc.jsonValue())
      .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
    fc.assert(
      fc.property(url, args, fc.constantFrom<HttpMethod>('GET', 'POST'), (where, given, method) => {
        const made = plan(where, given, method, { type: 'api_key', env: ['KEY'], query: 'key' })
        expect('request' in made).toBe(!('problems' in made))
      }),
    )
  })

  it('Q99: dots that meet in one place are refused', () => {
    expect(problems('https://example.com/{a}{b}', { a: '%2', b: 'e' })).toEqual([])
    expect(problems('https://example.com/%2e{a}/x', { a: '.' })).toHaveLength(1)
    expect(problems('https://example.com/x.{a}', { a: '..' })).toHaveLength(1)
  })
})

describe('who sends it', () => {
  it('Q100: bearer', () => {
    const made = plan('https://example.com/', {}, 'GET', { type: 'bearer', env: ['KEY'] })
    expect(made).toMatchObject({
      request: { headers: { authorization: 'Bearer s3cret' } },
      sensitive: ['s3cret'],
    })
  })

  it('Q100: api_key in its header, another header or the query', () => {
    const auth = { type: 'api_key', env: ['KEY'] } as const
    expect(request('https://example.com/', {}, 'GET', auth)?.headers).toMatchObject({ 'x-api-key': 's3cret' })
    expect(request('https://example.com/', {}, 'GET', { ...auth, header: 'X-Mine' })?.headers).toMatchObject({
      'x-mine': 's3cret',
    })
    expect(request('https://example.com/?a=1', { q: 'x' }, 'POST', { ...auth, query: 'key' })).toMatchObject({
      url: 'https://example.com/?a=1&key=s3cret',
      body: '{"q":"x"}',
    })
    expect(problems('https://example.com/', { key: 'mine' }, 'GET', { ...auth, query: 'key' })).toEqual([
      'the argument `key` cannot be sent: the URL already says `key`',
    ])
  })

  it('Q100: oauth2 asks for a token first', () => {
    const auth = {
      type: 'oauth2',
      env: ['ID', 'SECRET'],
      tokenUrl: 'https://id.example.com/token',
      scopes: ['a', 'b'],
    } as const
    const made = plan('https://example.com/', {}, 'POST', auth)
    const basic = btoa('me%26you:p%3Aw')
    expect(made).toMatchObject({
      request: { url: 'https://example.com/' },
      tokenRequest: {
        method: 'POST',
        url: 'https://id.example.com/token',
        headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=client_credentials&scope=a+b',
      },
      sensitive: ['p:w', basic],
    })
    if (!('request' in made)) throw new Error('no request')
    expect(made.request.headers).not.toHaveProperty('authorization')
    expect(withToken(made.request, 'tok').headers).toMatchObject({ authorization: 'Bearer tok' })
  })

  it('Q100: oauth2 without a token URL takes a token as it is', () => {
    expect(
      request('https://example.com/', {}, 'GET', { type: 'oauth2', env: ['KEY'] })?.headers,
    ).toMatchObject({
      authorization: 'Bearer s3cret',
    })
  })

  it('Q100: a missing secret is named before anything is sent', () => {
    const auth = {
      type: 'oauth2',
      env: ['ID', 'GONE'],
      tokenUrl: 'https://x.example/',
      docsUrl: 'https://docs.example/',
    } as const
    expect(plan('https://example.com/{id}', {}, 'GET', auth)).toEqual({
      problems: [
        { message: 'the argument `id` is missing: it is part of the URL' },
        {
          message: 'the secret `GONE` is not set',
          hint: 'orla secret set GONE, or the variable GONE; see https://docs.example/',
        },
      ],
    })
    expect(problems('https://example.com/', {}, 'GET', { type: 'bearer' })).toEqual([
      'the package wants bearer and does not name the secret',
    ])
  })

  it('Q100: a secret cannot become a second header', () => {
    expect(problems('https://example.com/', {}, 'GET', { type: 'bearer', env: ['LINES'] })).toEqual([
      'the secret `LINES` has characters that cannot be sent',
    ])
    expect(
      request('https://example.com/', {}, 'GET', { type: 'bearer', env: ['SPACED'] })?.headers.authorization,
    ).toBe('Bearer s3cret')
  })
})
