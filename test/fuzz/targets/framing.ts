import { PassThrough } from 'node:stream'
import { type Answer, createChannel } from '../../../src/runtime/capsule/channel.ts'
import { createLineSplitter } from '../../../src/runtime/capsule/lines.ts'
import { isSoundEnvelope } from '../../../src/server/edge/envelope.ts'
import { greetingOf } from '../../../src/server/edge/greeting.ts'
import { hotRequest } from '../../../src/server/edge/hot-request.ts'
import { createLineReader } from '../../../src/server/edge/line-reader.ts'
import { createRandom } from '../mutate.ts'
import { promise, type Target } from '../target.ts'

const MOST = 64 * 1024
const CALL =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[1,{"y":null}]}}}'
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}'
const PROGRESS =
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}'

/** The same bytes in other pieces, by a rule that depends only on them. */
function pieces(input: Buffer): Buffer[] {
  const random = createRandom(input.length + (input[0] ?? 0))
  const all: Buffer[] = []
  for (let from = 0; from < input.length; ) {
    const to = from + 1 + Math.floor(random() ** 3 * 100)
    all.push(input.subarray(from, to))
    from = to
  }
  return all
}

/** What a capsule says. */
const capsule: Target = {
  name: 'lines of a capsule',
  mostMs: 200,
  seeds: () => [Buffer.from(`${ANSWER}\n`), Buffer.from(`noise\r\n${PROGRESS}\n${ANSWER}\n\n`)],
  async check(input) {
    const expected = split([input])
    promise(JSON.stringify(split(pieces(input))) === JSON.stringify(expected), 'pieces make no difference')

    const stdout = new PassThrough()
    const answers: Answer[] = []
    const channel = createChannel({
      stdin: new PassThrough().resume(),
      stdout,
      maxBytes: MOST,
      onNotification() {},
      onRequest() {},
      onNoise() {},
      onTooLong() {},
    })
    channel.request('tools/call', () => ({}), { onAnswer: (answer) => answers.push(answer) })
    for (const piece of pieces(input)) stdout.write(piece)
    stdout.end()
    await new Promise((resolve) => stdout.once('end', resolve))
    const answered = answers.length > 0
    channel.fail('it is gone')
    promise(answers.length === 1, `a call has one answer, not ${answers.length}`)
    return answered ? 'accepted' : 'refused'
  },
}

function split(chunks: readonly Buffer[]): string[] {
  const lines: string[] = []
  const splitter = createLineSplitter(MOST, {
    onLine: (line) => lines.push(line.toString('latin1')),
    onTooLong: (head, tail, bytes) =>
      lines.push(`too long ${bytes} ${head.toString('latin1')} ${tail.toString('latin1')}`),
  })
  for (const chunk of chunks) splitter.take(chunk)
  splitter.finish()
  return lines
}

/** What a client says over stdio. */
const client: Target = {
  name: 'lines of a client',
  mostMs: 200,
  seeds: () => [Buffer.from(`${CALL}\n`), Buffer.from(`${CALL}\n${PROGRESS}\n`)],
  check(input) {
    const whole = read([input])
    promise(JSON.stringify(read(pieces(input))) === JSON.stringify(whole), 'pieces make no difference')
    const requests = whole.lines.map((line) => {
      try {
        const message = JSON.parse(line)
        greetingOf(message)
        return hotRequest(message, isSoundEnvelope)
      } catch (error) {
        promise(error instanceof SyntaxError, `it throws ${String(error)}`)
        return undefined
      }
    })
    for (const request of requests) {
      if (request?.method !== 'tools/call') continue
      promise(typeof request.name === 'string', 'a tool has a name')
      promise(typeof request.arguments === 'object' && request.arguments !== null, 'arguments are an object')
    }
    return requests.some((request) => request !== undefined) ? 'accepted' : 'refused'
  },
}

function read(chunks: readonly Buffer[]): { readonly lines: readonly string[]; readonly isTooLong: boolean } {
  const reader = createLineReader(MOST)
  const lines: string[] = []
  try {
    for (const chunk of chunks) reader.push(chunk, (line) => lines.push(line))
    return { lines, isTooLong: false }
  } catch {
    return { lines, isTooLong: true }
  }
}

export const framingTargets: readonly Target[] = [capsule, client]
