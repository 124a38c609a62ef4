import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NODE_HELPER } from './capsule-node.ts'
import { PYTHON_HELPER } from './capsule-python.ts'

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../../../test/fixtures/capsules')
const MANIFEST = '# a tool\nname: worker # of stories\nversion: "1.2.0"\nmcp:\n  name: other\n'

// Both languages promise the same: one suite for the two files.
describe.each([
  ['python', 'python3', 'orla_capsule.py', PYTHON_HELPER, 'story-worker.py', 'ValueError: no such place'],
  [
    'node',
    process.execPath,
    'orla_capsule.mjs',
    NODE_HELPER,
    'story-worker.mjs',
    'RangeError: no such place',
  ],
])('the helper for %s', (_language, program, file, helper, fixture, failure) => {
  const start = (manifest = MANIFEST) => startWorker(program, file, helper, fixture, manifest)

  it('Q72: says hello once, with name and version of the manifest', async () => {
    const worker = start()
    const hello = await worker.next()
    expect(hello).toEqual({
      jsonrpc: '2.0',
      method: 'orla.hello',
      params: { name: 'worker', version: '1.2.0', capabilities: ['tools'] },
    })
    worker.send({ id: 1, method: 'ping' })
    expect(await worker.next()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    await worker.finish()
    expect(worker.lines).toHaveLength(2)
  })

  it.each([
    ['text', 'Hällo \u2028 \u{1f600}'],
    ['an object', { a: [1, null, true] }],
    ['a result of MCP', { content: [{ type: 'text', text: 'x' }], isError: true }],
  ])('hands over %s as it is', async (_what, value) => {
    const worker = start()
    expect(await worker.call({ do: 'echo', value })).toMatchObject({ result: value })
  })

  it('answers nothing with empty text, and unknown methods with an error', async () => {
    const worker = start()
    expect(await worker.call({ do: 'nothing' })).toMatchObject({ result: '' })
    expect(await worker.ask('tools/list')).toMatchObject({
      error: { code: -32601, message: 'unknown method: tools/list' },
    })
  })

  it('an exception fails its call only: a short message, the rest on stderr', async () => {
    const worker = start()
    const failed = await worker.call({ do: 'fail', value: 'no such place' })
    expect(failed).toMatchObject({ error: { code: -32000, message: failure } })
    expect(await worker.call({ do: 'leave' })).toHaveProperty('error.message')
    expect(await worker.call({ do: 'unwritable' })).toHaveProperty('error.message')
    const long = await worker.call({ do: 'fail', value: 'x'.repeat(100_000) })
    expect((long.error as { message: string }).message).toHaveLength(1000)
    expect(await worker.call({ do: 'echo', value: 'well' })).toMatchObject({ result: 'well' })
    await worker.finish()
    expect(worker.stderr()).toMatch(/story-worker.*\n[\s\S]*no such place|no such place[\s\S]*story-worker/)
  })

  it('Q71: what the author prints goes to stderr and not into the protocol', async () => {
    const worker = start()
    expect(await worker.call({ do: 'print', value: '{"jsonrpc":"2.0"}' })).toMatchObject({ result: 'quiet' })
    await vi.waitFor(() => expect(worker.stderr()).toContain('{"jsonrpc":"2.0"}\n'), 10_000)
    await worker.finish()
    expect(worker.lines).toHaveLength(2)
    expect(worker.stderr()).toContain('loading\n{"jsonrpc":"2.0"}\n')
    expect(worker.stderr()).toContain('half a line')
    expect(worker.stderr()).toContain('from a child')
  })

  it('reports progress to who asked for it', async () => {
    const worker = start()
    const params = { name: 'worker', arguments: { do: 'count', value: 2 } }
    const answer = await worker.ask('tools/call', { ...params, _meta: { progressToken: 0 } })
    expect(answer.result).toBe('worker')
    const told = worker.lines.filter(({ method }) => method === 'notifications/progress')
    expect(told.map((one) => one.params)).toEqual([
      { progressToken: 0, progress: 1, total: 2, message: 'step 1' },
      { progressToken: 0, progress: 2, total: 2, message: 'step 2' },
    ])
    const before = worker.lines.length
    await worker.ask('tools/call', params)
    expect(worker.lines).toHaveLength(before + 1)
  })

  it('a cancelled call sees it; the others go on', async () => {
    const worker = start()
    const params = { name: 'worker', arguments: { do: 'wait' }, _meta: { progressToken: 'a' } }
    const waiting = worker.ask('tools/call', params, 'first')
    await worker.until(({ method }) => method === 'notifications/progress')
    const other = worker.ask('tools/call', { name: 'worker', arguments: { do: 'wait' } }, 'other')
    worker.send({ method: 'notifications/cancelled', params: { requestId: 'unknown' } })
    worker.send({ method: 'notifications/cancelled', params: { requestId: 'first', reason: 'enough' } })
    expect(await waiting).toMatchObject({ error: { message: 'cancelled' } })
    expect(await worker.call({ do: 'echo', value: 'on' })).toMatchObject({ result: 'on' })
    expect(worker.lines.some(({ id }) => id === 'other')).toBe(false)
    worker.send({ method: 'notifications/cancelled', params: { requestId: 'other' } })
    expect(await other).toMatchObject({ error: { message: 'cancelled' } })
    await worker.finish()
    expect(worker.stderr()).toBe('loading\nsaw it\nsaw it\n')
  })

  it('answers 100 calls at once, whatever order they end in', async () => {
    const worker = start()
    const slow = worker.ask('tools/call', { name: 'worker', arguments: { do: 'wait' } }, 'slow')
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, value) => worker.call({ do: 'echo', value: `${value}` })),
    )
    expect(answers.map(({ result }) => result)).toEqual(Array.from({ length: 100 }, (_, n) => `${n}`))
    worker.send({ method: 'notifications/cancelled', params: { requestId: 'slow' } })
    await slow
  })

  it('takes 5 MB, split anywhere, and several messages at once', async () => {
    const worker = start()
    const value = 'é\u{1f600}x'.repeat(720_000)
    const message = {
      id: 'big',
      method: 'tools/call',
      params: { name: 'w', arguments: { do: 'echo', value } },
    }
    const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n{"jsonrpc":"2.0","id":9,`)
    expect(bytes.length).toBeGreaterThan(5_000_000)
    // Sizes without a pattern that would spare the middle of a character.
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7 + 3) % 40_009)
      await worker.write(bytes.subarray(at, at + size))
    await worker.write(
      Buffer.from('"method":"ping"}\nnot json\n[]\n\r\n{"jsonrpc":"2.0","id":10,"method":"ping"}\r\n'),
    )
    const big = await worker.until(({ id }) => id === 'big')
    expect(big.result === value).toBe(true)
    await worker.until(({ id }) => id === 10)
    expect(worker.lines.filter(({ id }) => id === 9)).toHaveLength(1)
  })

  it('ends when its input ends, and gives running calls the news', async () => {
    const worker = start()
    const waiting = worker.ask('tools/call', { name: 'worker', arguments: { do: 'wait' } }, 'w')
    await worker.call({ do: 'echo', value: '' })
    expect(await worker.finish()).toBe(0)
    expect(await waiting).toMatchObject({ error: { message: 'cancelled' } })
  })

  it('ends although a call hangs', async () => {
    const worker = start()
    worker.send({ id: 'h', method: 'tools/call', params: { name: 'worker', arguments: { do: 'hang' } } })
    await worker.call({ do: 'echo', value: '' })
    expect(await worker.finish()).toBe(0)
  })

  it('says what to do when the manifest has no plain name and version', async () => {
    const worker = start('{name: worker, version: 1.0.0}\n')
    expect(await worker.finish()).toBe(1)
    expect(worker.stderr()).toContain('use serve(handle, ')
    expect(worker.lines).toEqual([])
  })
})

type Message = Readonly<Record<string, unknown>>

/** A process with the helper beside it, and the other end of its pipes. */
function startWorker(program: string, file: string, helper: string, fixture: string, manifest: string) {
  const folder = mkdtempSync(join(tmpdir(), 'orla-helper-'))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'tool.yaml'), manifest)
  writeFileSync(join(folder, 'bin', file), helper)
  copyFileSync(join(FIXTURES, fixture), join(folder, 'bin', fixture))
  const child = spawn(program, [join(folder, 'bin', fixture)], {
    cwd: folder,
    // Nothing of the person who tests, such as PYTHONUNBUFFERED.
    env: { PATH: process.env.PATH },
  })
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
    rmSync(folder, { recursive: true, force: true })
  })

  const lines: Message[] = []
  const watchers = new Set<() => void>()
  const errors: Buffer[] = []
  let parts: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      // Everything on stdout must be a message: a line that is not JSON fails the test here.
      lines.push(JSON.parse(Buffer.concat([...parts, chunk.subarray(start, end)]).toString()) as Message)
      parts = []
      start = end + 1
    }
    parts.push(chunk.subarray(start))
    for (const look of watchers) look()
  })
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  child.stdin.on('error', () => {}) // it may have ended; the test sees that elsewhere

  const until = (fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve, reject) => {
      const look = () => {
        const found = lines.find(fits)
        if (found === undefined) return
        watchers.delete(look)
        resolve(found)
      }
      watchers.add(look)
      look()
      void closed.then(() => reject(new Error(`it ended:\n${Buffer.concat(errors).toString()}`)))
    })
  const send = (message: Message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let ids = 100
  let read = 0
  const ask = (method: string, params: Message = {}, id: number | string = ids++) => {
    send({ id, method, params })
    return until((message) => message.id === id)
  }
  return {
    lines,
    until,
    send,
    ask,
    call: (input: Message) => ask('tools/call', { name: 'worker', arguments: input }),
    stderr: () => Buffer.concat(errors).toString(),
    /** The next message that was not asked for yet. */
    async next(): Promise<Message> {
      const index = read++
      return await until((message) => lines.indexOf(message) === index)
    },
    async write(bytes: Buffer): Promise<void> {
      if (!child.stdin.write(bytes)) await once(child.stdin, 'drain')
    },
    /** Closes its input and waits for its end. */
    async finish(): Promise<number | null> {
      child.stdin.end()
      const [status] = (await closed) as [number | null]
      return status
    },
  }
}
