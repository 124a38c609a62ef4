import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { A_PACKAGE } from '../../../test/package-facts.ts'
import type { Candidate, JsonObject, Measurement, Tool } from '../../model/index.ts'
import { createNodeStarter } from '../../platform/index.ts'
import { createCallTool } from '../index.ts'

const folder = mkdtempSync(join(tmpdir(), 'implementations-'))
const starter = createNodeStarter()
const measured: Measurement[] = []
let preferred: string | undefined

const callTool = createCallTool({
  starter,
  settings: () => ({ timeoutMs: 30_000, concurrency: 4, outputBytes: 1024 * 1024 }),
  environment: () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin' }),
  onCall: (measurement) => measured.push(measurement),
  order: (_, candidates) => [
    ...candidates.filter(({ id }) => id === preferred),
    ...candidates.filter(({ id }) => id !== preferred),
  ],
})

beforeEach(() => {
  measured.length = 0
  preferred = undefined
})
afterAll(async () => {
  await starter.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Says what it was given. */
const ECHO = script(
  'echo',
  `cat >"$PWD/stdin"; printf '{"word":%s,"words":%s,"cwd":"%s","stdin":%s}' "\${1:-null}" $# "$PWD" "$(cat stdin)"`,
)
const GONE = join(folder, 'gone')
const NOT_FOUND = script('not-found', 'exec nowhere-to-be-found')
const NO_EXEC = script('no-exec', 'echo no permission >&2; exit 126')

describe('local implementations', () => {
  it('Q115: take the arguments as one word and on standard input, in the folder of the package', async () => {
    const result = await call([local('sh', ECHO)], { path: "/tmp/a 'b'.pdf", ü: null })
    const given = { path: "/tmp/a 'b'.pdf", ü: null }
    expect(result).toMatchObject({
      ok: true,
      output: { kind: 'value', value: { word: given, words: 1, stdin: given, cwd: folder } },
    })
    expect(measured).toMatchObject([{ success: true, implementation: 'sh', exitCode: 0 }])
    expect(measured[0]).not.toHaveProperty('passedOver')
  })

  it('Q115: large arguments come on standard input only', async () => {
    const size = script('size', 'printf \'{"words":%s,"bytes":%s}\' $# "$(wc -c)"')
    const small = await call([local('sh', size)], { text: 'x'.repeat(99_000) })
    expect(small).toMatchObject({ output: { value: { words: 1, bytes: 99_011 } } })
    const large = await call([local('sh', size)], { text: 'x'.repeat(200_000) })
    expect(large).toMatchObject({ output: { value: { words: 0, bytes: 200_011 } } })
  })

  it('Q115: what they print must be JSON that fits', async () => {
    const words = script('words', 'echo plain words')
    expect(await call([local('sh', words)], {})).toMatchObject({
      ok: false,
      reason: 'output',
      message: '`pdf` did not print JSON, as its output schema asks for: unexpected "p" at line 1, column 1',
      output: { kind: 'streams', stdout: { text: 'plain words\n' } },
    })
    const list = script('list', 'echo "[1]"; echo remark >&2')
    expect(await call([local('sh', list)], {})).toMatchObject({
      ok: false,
      reason: 'output',
      output: { kind: 'value', value: [1], stderr: { text: 'remark\n' } },
    })
  })

  it('Q115: their failure is the failure of the call', async () => {
    const failing = script('failing', 'echo half; exit 3')
    expect(await call([local('a', failing), local('b', ECHO)], {})).toMatchObject({
      ok: false,
      reason: 'exit',
      output: { exitCode: 3, stdout: { text: 'half\n' } },
    })
    expect(measured).toMatchObject([{ implementation: 'a', exitCode: 3 }])
  })

  it('Q115: their own time limit comes first, then that of the tool', async () => {
    const slow = script('slow', 'sleep 60')
    const timed: Candidate = { ...local('a', slow), timeoutMs: 200 }
    expect(await call([timed], {})).toMatchObject({
      reason: 'timeout',
      message: '`pdf` did not finish within 200 ms and was ended',
    })
    expect(await call([local('a', slow)], {}, 300)).toMatchObject({
      reason: 'timeout',
      message: expect.stringMatching(/300 ms/),
    })
  })
})

describe('the choice', () => {
  it.each([
    [GONE, /is gone/],
    [NOT_FOUND, /exited with status 127: .*nowhere-to-be-found/],
    [NO_EXEC, /exited with status 126: no permission/],
  ])('Q117: %s cannot start, so the next one runs, and the result says so', async (file, why) => {
    const result = await call([local('first', file), local('second', ECHO)], { a: 1 })
    expect(result).toMatchObject({ ok: true, output: { kind: 'value', value: { word: { a: 1 } } } })
    const stderr = result.output.kind === 'value' ? result.output.stderr : undefined
    expect(stderr?.text).toMatch(/^implementation `first` could not start \(.*\); `second` was used\n$/)
    expect(stderr?.text).toMatch(why)
    expect(stderr?.bytes).toBe(Buffer.byteLength(stderr?.text ?? ''))
    expect(measured).toMatchObject([
      {
        implementation: 'second',
        passedOver: [{ implementation: 'first', message: expect.stringMatching(why) }],
      },
    ])
  })

  it('Q117: one that printed something has started', async () => {
    const late = script('late', 'echo "{}"; exec nowhere-to-be-found 2>/dev/null')
    expect(await call([local('first', late), local('second', ECHO)], {})).toMatchObject({
      ok: false,
      reason: 'exit',
      output: { exitCode: 127 },
    })
  })

  it('Q117: none of them starts', async () => {
    const result = await call([local('a', GONE), local('b', NO_EXEC)], {})
    expect(result).toMatchObject({ ok: false, reason: 'spawn' })
    expect(result.ok ? '' : result.message).toMatch(
      /^`pdf` cannot start: none of its implementations does\. `a`: .*\. `b`: exited with status 126: no permission$/,
    )
    expect(await call([local('a', GONE)], {})).toMatchObject({
      message: expect.stringMatching(/^`pdf` cannot start: .* is gone/),
    })
    expect(await call([], {})).toMatchObject({
      reason: 'spawn',
      message: '`pdf` cannot start: none of its implementations fits this machine',
    })
  })

  it('Q117: whoever ranks them says which comes first', async () => {
    preferred = 'b'
    await call([local('a', ECHO), local('b', ECHO)], {})
    expect(measured).toMatchObject([{ implementation: 'b' }])
  })

  it('an endpoint is refused where nothing may be sent', async () => {
    const auth = { type: 'none', scopes: [], env: [], hints: {} } as const
    const endpoint = { type: 'http', method: 'GET', url: 'https://example.com/' } as const
    expect(await call([{ id: 'endpoint', kind: 'http', endpoint, auth }], {})).toMatchObject({
      reason: 'spawn',
      message: '`pdf` cannot start: it is reached over HTTP, and nothing is sent from here',
    })
  })
})

function call(candidates: readonly Candidate[], args: JsonObject, timeoutMs?: number) {
  const tool: Tool = {
    name: 'pdf',
    version: '1.0.0',
    description: '',
    outputSchema: { type: 'object' },
    origin: { kind: 'package', file: '', folder, scope: 'project', package: A_PACKAGE },
    run: { kind: 'implementations', candidates, ...(timeoutMs !== undefined && { timeoutMs }) },
    digest: '',
  }
  return callTool({
    catalog: { tools: new Map([[tool.name, tool]]), problems: [] },
    name: tool.name,
    arguments: args,
    signal: new AbortController().signal,
    caller: { connection: 'test', requestId: 1, transport: 'cli', era: 'none' },
  })
}

function local(id: string, file: string): Candidate {
  return { id, kind: 'local', command: { file, args: [], cwd: folder, script: file } }
}

function script(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
  return file
}
