import { describe, expect, it } from 'vitest'
import { createPlainReader } from './plain-request.ts'

const BODY = '{"jsonrpc":"2.0"}'
const LENGTH = `Content-Length: ${BODY.length}`
const HOST = 'Host: localhost'

function read(...lines: readonly string[]) {
  return createPlainReader()(bytes(['POST /mcp HTTP/1.1', ...lines], BODY))
}

function bytes(lines: readonly string[], body: string): Buffer {
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1')
}

describe('a plain request', () => {
  it('is read with its headers as they were written, and its body', () => {
    const request = read(
      HOST,
      'X-Some: a b\t',
      LENGTH,
      'Mcp-Name:\t echo',
      'connection: Keep-Alive',
      'Empty:',
    )
    expect(request).toMatchObject({
      method: 'POST',
      url: '/mcp',
      rawHeaders: [
        'Host',
        'localhost',
        'X-Some',
        'a b',
        'Mcp-Name',
        'echo',
        'connection',
        'Keep-Alive',
        'Empty',
        '',
      ],
      headers: { host: 'localhost', 'x-some': 'a b', 'mcp-name': 'echo', empty: '' },
    })
    expect(request?.body.toString()).toBe(BODY)
  })

  it('is known again by its headers, whatever its length', () => {
    const reader = createPlainReader()
    const ask = (body: string, length: string, host = 'localhost') =>
      reader(bytes(['POST /mcp HTTP/1.1', `Host: ${host}`, `Content-Length: ${length}`, 'A: 1'], body))
    const first = ask('12345', '5')
    const second = ask('1234567890', '10')
    expect(second?.body.toString()).toBe('1234567890')
    expect(second?.rawHeaders).toBe(first?.rawHeaders)
    expect(ask('123', '3', 'other')?.rawHeaders).toEqual(['Host', 'other', 'A', '1'])
    for (const length of [
      '4',
      '',
      ' ',
      '+3',
      '3, 3',
      '3\r\nContent-Length: 3',
      '3\r\nTransfer-Encoding: chunked',
    ])
      expect(ask('123', length, 'other'), length).toBeUndefined()
  })

  it.each([
    ['two lengths', [HOST, LENGTH, LENGTH]],
    ['two lengths in one', [HOST, `${LENGTH}, ${BODY.length}`]],
    ['no length', [HOST]],
    ['an empty length', [HOST, 'Content-Length:']],
    ['a longer length', [HOST, `Content-Length: ${BODY.length + 1}`]],
    ['a shorter length', [HOST, `Content-Length: ${BODY.length - 1}`]],
    ['a signed length', [HOST, `Content-Length: +${BODY.length}`]],
    ['a length with a zero before it', [HOST, `Content-Length: 0${BODY.length}`]],
    ['a length in hexadecimals', [HOST, 'Content-Length: 0x11']],
    ['a length and a transfer encoding', [HOST, LENGTH, 'Transfer-Encoding: chunked']],
    ['a transfer encoding in odd letters', [HOST, LENGTH, 'tRANSFER-eNCODING: identity']],
    ['two hosts', [HOST, HOST, LENGTH]],
    ['a header twice', [HOST, LENGTH, 'Accept: a', 'accept: b']],
    ['a folded line', [HOST, LENGTH, 'A: b', ' c']],
    ['a line that begins with a blank', [' Host: localhost', LENGTH]],
    ['a blank before the colon', ['Host : localhost', LENGTH]],
    ['no name', [HOST, LENGTH, ': a']],
    ['no colon', [HOST, LENGTH, 'nonsense']],
    ['a bare line feed', [`${HOST}\nA: b`, LENGTH]],
    ['a bare carriage return', [`${HOST}\rA: b`, LENGTH]],
    ['a NUL', [`${HOST}\0`, LENGTH]],
    ['a NUL in a name', [HOST, 'A\0: b', LENGTH]],
    ['letters beyond ASCII', [HOST, 'A: \xe9', LENGTH]],
    ['an underscore in a name', [HOST, 'Content_Length: 1', LENGTH]],
    ['the prototype', [HOST, '__proto__: 1', LENGTH]],
    ['the constructor', [HOST, 'constructor: 1', LENGTH]],
    ['an expectation', [HOST, LENGTH, 'Expect: 100-continue']],
    ['an upgrade', [HOST, LENGTH, 'Connection: Upgrade', 'Upgrade: h2c']],
    ['a connection that ends', [HOST, LENGTH, 'Connection: close']],
    ['a connection with options', [HOST, LENGTH, 'Connection: keep-alive, x']],
    ['trailers', [HOST, LENGTH, 'Trailer: a']],
    ['huge headers', [HOST, LENGTH, `A: ${'a'.repeat(9_000)}`]],
  ])('is none with %s', (_, lines) => {
    expect(read(...lines)).toBeUndefined()
  })

  it.each([
    'GET /mcp HTTP/1.1',
    'post /mcp HTTP/1.1',
    'POST /mcp HTTP/1.0',
    'POST /mcp?x HTTP/1.1',
    'POST http://localhost/mcp HTTP/1.1',
    'POST  /mcp HTTP/1.1',
    'POST /mcp HTTP/1.1 ',
    '\r\nPOST /mcp HTTP/1.1',
  ])('is not begun by %j', (line) => {
    expect(createPlainReader()(bytes([line, HOST, LENGTH], BODY))).toBeUndefined()
  })

  it('comes whole and alone', () => {
    const whole = bytes(['POST /mcp HTTP/1.1', HOST, LENGTH], BODY)
    for (let length = 0; length < whole.length; length++)
      expect(createPlainReader()(whole.subarray(0, length)), `${length}`).toBeUndefined()
    expect(createPlainReader()(whole)).toBeDefined()
    expect(createPlainReader()(Buffer.concat([whole, whole]))).toBeUndefined()
    expect(createPlainReader()(Buffer.concat([whole, Buffer.from(' ')]))).toBeUndefined()
  })

  it('is told from nonsense in no time', () => {
    const reader = createPlainReader()
    const begun = performance.now()
    for (const filler of [' ', '\t ', 'a ', 'a:', ':', '\r\n ', 'a:\r\n'])
      for (let round = 0; round < 100; round++)
        reader(bytes(['POST /mcp HTTP/1.1', `A: ${filler.repeat(8_000 / filler.length)}\x01`, LENGTH], BODY))
    expect((performance.now() - begun) / 700).toBeLessThan(5)
  })
})
