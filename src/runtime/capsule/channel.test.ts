import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/index.ts'
import { type Answer, type Channel, createChannel } from './channel.ts'
import { createLineSplitter } from './lines.ts'

const CAP = 1000

describe('a channel', () => {
  it('Q71: gives every answer to its request, in whatever order they come', async () => {
    const { channel, written, say, answers } = open()
    for (const name of ['a', 'b', 'c']) ask(channel, name, answers)
    await turn()
    expect(written()).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { token: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'b', params: { token: 2 } },
      { jsonrpc: '2.0', id: 3, method: 'c', params: { token: 3 } },
    ])
    say('{"jsonrpc":"2.0","id":3,"result":3}\n{"jsonrpc":"2.0","id":1,"result":null}\n')
    say('{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}\n')
    await turn()
    expect(answers).toMatchObject([
      ['c', { kind: 'result', result: 3 }],
      ['a', { kind: 'result', result: null }],
      ['b', { kind: 'error', code: -1, message: 'no' }],
    ])
  })

  it('reads messages split anywhere, inside characters too, with either line end', async () => {
    const { channel, stdout, answers, noise } = open()
    ask(channel, 'a', answers)
    ask(channel, 'b', answers)
    const text = `{"jsonrpc":"2.0","id":1,"result":"grüße 👋"}\r\n\r\n\n{"jsonrpc":"2.0","id":2,"result":"ü"}`
    for (const byte of Buffer.from(text)) stdout.write(Buffer.from([byte]))
    stdout.end()
    await turn()
    expect(answers).toMatchObject([
      ['a', { result: 'grüße 👋' }],
      ['b', { result: 'ü' }],
    ])
    expect(noise).toEqual([])
  })

  it("refuses a request that is too long, and takes it for nobody's answer", async () => {
    const { channel, written, say, answers, tooLong } = open()
    for (const name of ['a', 'b', 'c']) ask(channel, name, answers)
    const long = JSON.stringify('x'.repeat(CAP))
    say(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":${long}}\n`)
    say(`{"method":"sampling/createMessage","params":${long},"jsonrpc":"2.0","id":2}\n`)
    say(`{"id":"s-3","jsonrpc":"2.0","method":"q","params":${long}}\n`)
    say('{"id":3,"method":"without a version"}\n')
    await turn()
    expect(answers).toEqual([])
    expect(tooLong).toEqual([])
    const error = { code: -32600, message: 'a message may have at most 1000 bytes' }
    expect(written().slice(3)).toEqual([1, 2, 's-3'].map((id) => ({ jsonrpc: '2.0', id, error })))
  })

  it('hands over what is no message, and what nobody waits for', async () => {
    const { channel, say, noise, answers, notifications, requests } = open()
    ask(channel, 'a', answers)
    say('hello\n[1]\n{"jsonrpc":"1.0","id":1,"result":1}\n{"id":\n')
    say('{"jsonrpc":"2.0","id":1,"result":1}\n{"jsonrpc":"2.0","id":1,"result":2}\n')
    say('{"jsonrpc":"2.0","id":77,"result":1}\n{"jsonrpc":"2.0","id":"1","result":1}\n')
    say('{"jsonrpc":"2.0","method":"m","params":{"x":1}}\n{"jsonrpc":"2.0","id":"r","method":"q"}\n')
    await turn()
    expect(noise.map(([, why]) => why)).toEqual([
      ...Array.from({ length: 4 }, () => 'no message'),
      ...Array.from({ length: 3 }, () => 'nobody waits for it'),
    ])
    expect(answers).toHaveLength(1)
    expect(notifications).toEqual([['m', { x: 1 }]])
    expect(requests).toEqual([['r', 'q']])
  })

  it('Q71: takes a batch apart, and answers what is asked in it in one', async () => {
    const { channel, written, say, noise, answers, notifications } = open()
    for (const name of ['a', 'b', 'c']) ask(channel, name, answers)
    await turn()
    expect(written()).toHaveLength(3)
    say(' [ {"jsonrpc":"2.0","id":3,"result":3}, {"jsonrpc":"2.0","method":"m","params":{"x":1}},')
    say('{"jsonrpc":"2.0","id":"r","method":"q"},{"jsonrpc":"2.0","id":"s","method":"q"},')
    say('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}]\r\n')
    say('[{"jsonrpc":"2.0","id":2,"result":2}]\n[{"jsonrpc":"2.0","method":"m"}]\n')
    expect(await settled(answers, 3)).toMatchObject([
      ['c', { kind: 'result', result: 3 }],
      ['a', { kind: 'error', message: 'no' }],
      ['b', { kind: 'result', result: 2 }],
    ])
    expect(notifications).toEqual([
      ['m', { x: 1 }],
      ['m', {}],
    ])
    await turn()
    const error = { code: -32601, message: 'q' }
    expect(written()).toEqual([['r', 's'].map((id) => ({ jsonrpc: '2.0', id, error }))])
    expect(noise).toEqual([])
  })

  it('Q71: a batch with something wrong in it is told once, and the rest of it is heard', async () => {
    const { channel, say, noise, answers } = open()
    for (const name of ['a', 'b', 'c', 'd']) ask(channel, name, answers)
    say('[]\n[1]\n[{"jsonrpc":"2.0","id":1\n[INFO] loading\n')
    say('[{"jsonrpc":"2.0","id":1,"result":1},7,[{"jsonrpc":"2.0","id":2,"result":"inner"}],null]\n')
    say('[{"jsonrpc":"2.0","id":77,"result":1}]\n[{"id":3,"method":"without a version"}]\n')
    say('[{"jsonrpc":"2.0","id":2}]\n[{"jsonrpc":"2.0","id":3,"result":NaN}]\n')
    say('[{"jsonrpc":"2.0","id":4,"result":4}]\n')
    const wrong = { kind: 'error', message: 'it answered with something that is no JSON-RPC' }
    expect(await settled(answers, 4)).toMatchObject([
      ['a', { result: 1 }],
      ['b', wrong],
      ['c', wrong],
      ['d', { result: 4 }],
    ])
    expect(noise.map(([, why]) => why)).toEqual([
      ...Array.from({ length: 5 }, () => 'no message'),
      'nobody waits for it',
      'no message',
    ])
  })

  it('Q71: a batch of more messages than it may hold fails the calls it answers, and asks nothing', async () => {
    const { channel, written, say, noise, answers, requests } = open(undefined, 100_000)
    for (const name of ['a', 'b']) ask(channel, name, answers)
    const message = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"q"}`
    const asked = Array.from({ length: 1_000 }, (_, index) => message(index)).join(',')
    say(`[${asked},{"jsonrpc":"2.0","id":2,"result":2}]\n`)
    expect(await settled(answers, 1)).toMatchObject([
      ['b', { message: 'it answered in a batch of 1001 messages, more than the 1000 it may hold' }],
    ])
    say(`[${asked}]\n{"jsonrpc":"2.0","id":1,"result":1}\n`)
    await settled(answers, 2)
    expect(answers[1]).toMatchObject(['a', { result: 1 }])
    expect(noise.map(([, why]) => why)).toEqual(['more messages than a batch may hold'])
    expect(requests).toHaveLength(1_000)
    await turn()
    expect(written()).toHaveLength(3)
  })

  it('fails the call that is answered with something else than JSON-RPC', async () => {
    const { channel, say, answers } = open()
    ask(channel, 'empty', answers)
    ask(channel, 'strange', answers)
    say('{"jsonrpc":"2.0","id":1}\n{"jsonrpc":"2.0","id":2,"result":NaN}\n')
    const wrong = { kind: 'error', message: 'it answered with something that is no JSON-RPC' }
    expect(await settled(answers, 2)).toMatchObject([
      ['empty', wrong],
      ['strange', wrong],
    ])
  })

  it('fails the call that a message beyond the cap answers, wherever its id stands', async () => {
    const { channel, say, answers, tooLong } = open()
    ask(channel, 'first', answers)
    ask(channel, 'last', answers)
    ask(channel, 'untouched', answers)
    const long = 'x'.repeat(5 * CAP)
    say(`{"jsonrpc":"2.0","id":1,"result":"${long}"}\n`)
    say(`{"jsonrpc":"2.0","result":"${long}","id":2}\n`)
    expect(await settled(answers, 2)).toMatchObject([
      ['first', { kind: 'too-long', bytes: 5036 }],
      ['last', { kind: 'too-long', bytes: 5036 }],
    ])
    say(`{"jsonrpc":"2.0","result":{"long":"${long}","id":3}}\n`)
    say('{"jsonrpc":"2.0","id":3,"result":"goes on"}\n')
    await settled(answers, 3)
    expect(tooLong).toHaveLength(1)
    expect(answers[2]).toMatchObject(['untouched', { result: 'goes on' }])
  })

  it('writes what is sent in one turn in one piece, and waits while nobody reads', async () => {
    const pieces: string[] = []
    let release = () => {}
    const stdin = new Writable({
      highWaterMark: 10,
      write(chunk: Buffer, _, done) {
        pieces.push(chunk.toString())
        release = done
      },
    })
    const { channel, answers } = open(stdin)
    for (let index = 0; index < 100; index++) ask(channel, 'm', answers)
    await turn()
    expect(pieces).toHaveLength(1)
    expect(pieces[0]?.trim().split('\n')).toHaveLength(100)
    for (let index = 0; index < 100; index++) {
      ask(channel, 'm', answers)
      await turn()
    }
    expect(pieces).toHaveLength(1)
    release()
    await turn()
    expect(pieces).toHaveLength(2)
    expect(pieces[1]?.trim().split('\n')).toHaveLength(100)
  })

  it('passes progress on by its token while someone waits', async () => {
    const { channel, say } = open()
    const steps: unknown[] = []
    const onProgress = (step: unknown) => void steps.push(step)
    const { id } = channel.request('a', () => ({}), { onAnswer: () => {}, onProgress })
    const progress = (token: Json, more: object) =>
      say(
        `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, ...more } })}\n`,
      )
    progress(id, { progress: 1, total: 2, message: 'half' })
    progress('x', { progress: 5 })
    progress(id, { progress: 'much' })
    say(`{"jsonrpc":"2.0","id":${id},"result":1}\n`)
    progress(id, { progress: 2 })
    await turn()
    expect(steps).toEqual([{ progress: 1, total: 2, message: 'half' }])
  })

  it('tells everyone who waits that nothing will come, and everyone who asks later', () => {
    const { channel, answers } = open()
    ask(channel, 'a', answers)
    channel.fail('gone')
    ask(channel, 'b', answers)
    expect(answers).toEqual([
      ['a', { kind: 'lost', message: 'gone' }],
      ['b', { kind: 'lost', message: 'gone' }],
    ])
  })
})

describe('lines', () => {
  it.each([
    ['bytes', 1, 2],
    ['pieces of 64 KiB', 64 * 1024, 32],
  ])('cost what copying them costs, however long they are: %s', (_, size, mebibytes) => {
    const chunk = Buffer.alloc(size, 'x')
    const count = (mebibytes * 1024 * 1024) / size
    const split = () => {
      let seen = 0
      const onLine = (line: Buffer) => {
        seen += line.length
      }
      const lines = createLineSplitter(64 * 1024 * 1024, { onLine, onTooLong: () => {} })
      for (let index = 0; index < count; index++) lines.take(chunk)
      lines.take(Buffer.from('\n'))
      expect(seen).toBe(count * size)
    }
    const copy = () => {
      const whole = Buffer.allocUnsafe(count * size)
      for (let index = 0; index < count; index++) chunk.copy(whole, index * size)
      expect(whole.includes('\n')).toBe(false)
    }
    const best = (work: () => void) => Math.min(...Array.from({ length: 7 }, () => timeOf(work)))
    best(split)
    // What looks at every byte again for each piece costs hundreds of times as much.
    expect(best(split) / best(copy)).toBeLessThan(20)
  })

  it('are not copied when they lie in one piece', () => {
    const chunk = Buffer.from('one\ntwo\nthree\n')
    const owners: boolean[] = []
    const onLine = (line: Buffer) => void owners.push(line.buffer === chunk.buffer)
    createLineSplitter(100, { onLine, onTooLong: () => {} }).take(chunk)
    expect(owners).toEqual([true, true, true])
  })
})

function open(stdin: Writable = new PassThrough({ highWaterMark: 1_000_000 }), maxBytes = CAP) {
  const stdout = new PassThrough()
  const noise: [string, string][] = []
  const notifications: [string, Json][] = []
  const requests: [Json, string][] = []
  const tooLong: number[] = []
  const answers: [string, Answer][] = []
  const channel = createChannel({
    stdin,
    stdout,
    maxBytes,
    onNotification: (method, params) => notifications.push([method, params]),
    onRequest(id, method) {
      requests.push([id, method])
      channel.refuse(id, -32601, method)
    },
    onNoise: (text, why) => noise.push([text, why]),
    onTooLong: (bytes) => tooLong.push(bytes),
  })
  const written = () => {
    const text = stdin instanceof PassThrough ? String(stdin.read() ?? '') : ''
    return text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
  }
  return {
    channel,
    stdout,
    say: (text: string) => stdout.write(text),
    written,
    noise,
    notifications,
    requests,
    tooLong,
    answers,
  }
}

function ask(channel: Channel, name: string, answers: [string, Answer][]): void {
  channel.request(name, (token) => ({ token }), { onAnswer: (answer) => answers.push([name, answer]) })
}

function timeOf(work: () => void): number {
  const begun = performance.now()
  work()
  return performance.now() - begun
}

/** Long enough for everything that needs no outside world. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}

async function settled<T>(list: readonly T[], length: number): Promise<readonly T[]> {
  for (let round = 0; round < 1000 && list.length < length; round++) await turn()
  return list
}
