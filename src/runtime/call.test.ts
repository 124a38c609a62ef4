import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type { Call, CallResult, Command, JsonObject, Measurement, Output, Tool } from '../model/index.ts'
import { OrlaError } from '../model/index.ts'
import { createNodeStarter } from '../platform/index.ts'
import { createCallTool, type RuntimeSettings } from './index.ts'

const TOOLS = fileURLToPath(new URL('../../test/fixtures/tools/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'runtime-'))
const starter = createNodeStarter()
const settings: { -readonly [K in keyof RuntimeSettings]: RuntimeSettings[K] } = {
  timeoutMs: 30_000,
  concurrency: 8,
  outputBytes: 10 * 1024 * 1024,
}
const measured: Measurement[] = []
const callTool = createCallTool({
  starter,
  settings: () => settings,
  environment: () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', INHERITED: 'yes' }),
  onCall: (measurement) => measured.push(measurement),
})

afterAll(async () => {
  await starter.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a call', () => {
  it.each(['words.sh', 'copied'])('Q12 Q14: gives flags and words to %s', async (file) => {
    const path = file === 'copied' ? copyEcho() : file
    const result = await call(tool(path), { name: 'Ada L', args: ['last'] })
    expect(result).toMatchObject({ ok: true })
    expect(stdout(result).split(/\s+/)).toEqual(['--name', 'Ada', 'L', 'last', ''])
  })

  it.each(['words.py', 'words.mjs'])(
    'Q14: gives the arguments as flags and as JSON on stdin to %s',
    async (file) => {
      const result = await call(tool(file), { max_size: 3, args: ['x'] })
      expect(JSON.parse(stdout(result))).toEqual({
        words: ['--max-size', '3', 'x'],
        stdin: '{"max_size":3,"args":["x"]}',
      })
    },
  )

  it.skipIf(!hasCompiler())('Q14: runs a compiled program', async () => {
    const program = join(folder, 'words')
    execFileSync('cc', ['-o', program, join(TOOLS, 'words.c')])
    expect(stdout(await call(tool(program), { a: 1 }))).toBe('--a\n1\n')
  })

  it('Q14: gives a text `stdin` as it is', async () => {
    expect(stdout(await call(tool('repeat.sh'), { stdin: 'plain\ntext' }))).toBe('plain\ntext')
  })

  it('returns both streams and the status', async () => {
    const result = await call(tool('both.sh', { args: ['0'] }), {})
    expect(result).toEqual({
      ok: true,
      output: { kind: 'streams', stdout: utf8('out\n'), stderr: utf8('err\n'), exitCode: 0, signal: null },
      ms: expect.any(Number),
    })
  })

  it('gives the environment, that of the command over it, and the marker', async () => {
    const text = stdout(
      await call(tool('environment.sh', { env: { OWN: '1', INHERITED: 'no' }, cwd: folder }), {}),
    )
    expect(text).toContain('OWN=1\n')
    expect(text).toContain('INHERITED=no\n')
    expect(text).toMatch(/^MCP_RUN=[0-9a-f]{32}\.[0-9a-f]{12}$/m)
    expect(text).toContain(`cwd=${folder}\n`)
  })

  it('returns bytes that are not UTF-8 as base64', async () => {
    const result = await call(tool('binary.sh'), {})
    expect(result.output).toMatchObject({ stdout: { text: '//4AAQ==', encoding: 'base64', bytes: 4 } })
  })

  it('measures what happened', async () => {
    await call(tool('both.sh', { args: ['3'] }), { a: 1 })
    expect(measured.at(-1)).toEqual({
      tool: 'both',
      version: '1.2.3',
      ms: expect.any(Number),
      queuedMs: expect.any(Number),
      success: false,
      reason: 'exit',
      message: '`both` exited with status 3',
      exitCode: 3,
      bytesIn: 7,
      bytesOut: 8,
      caller: CALLER,
    })
    await call(tool('quiet.sh'), {})
    expect(measured.at(-1)).toMatchObject({ success: true, exitCode: 0 })
    expect(measured.at(-1)).not.toHaveProperty('reason')
  })
})

describe('a failure (Q15: each of its own kind)', () => {
  it('an unknown name throws, with the nearest one as a hint', async () => {
    const wrong = callTool(asCall([tool('words.sh'), tool('quiet.sh')], 'wrods', {}))
    await expect(wrong).rejects.toThrow(OrlaError)
    await expect(wrong).rejects.toMatchObject({
      code: 'E_TOOL_NOT_FOUND',
      message: 'there is no tool called `wrods`',
      hint: 'did you mean `words`?',
    })
    await expect(callTool(asCall([], 'x', {}))).rejects.toMatchObject({
      hint: expect.stringContaining('list'),
    })
  })

  it('a status that is not zero', async () => {
    const result = await call(tool('both.sh', { args: ['3'] }), {})
    expect(result).toMatchObject({ ok: false, reason: 'exit', message: '`both` exited with status 3' })
    expect(result.output).toMatchObject({ kind: 'streams', stdout: utf8('out\n'), exitCode: 3, signal: null })
  })

  it('a signal', async () => {
    const result = await call(tool('fault.sh', { args: ['SEGV'] }), {})
    expect(result).toMatchObject({ ok: false, reason: 'exit', message: '`fault` was ended by SIGSEGV' })
    expect(result.output).toMatchObject({ exitCode: null, signal: 'SIGSEGV' })
  })

  it("Q13 Q88: the timeout of the settings, and the tool's own over it", async () => {
    const slow = tool('slow.sh', { args: ['1'] })
    settings.timeoutMs = 1_000
    const byDefault = await call(slow, {})
    settings.timeoutMs = 30_000
    expect(byDefault).toMatchObject({
      reason: 'timeout',
      message: '`slow` did not finish within 1 s and was ended',
      output: { kind: 'streams', stdout: utf8('running\n'), exitCode: null },
    })
    const own = await call(within(250, slow), {})
    expect(own).toMatchObject({
      reason: 'timeout',
      message: '`slow` did not finish within 250 ms and was ended',
    })
  })

  it('Q16: cancellation', async () => {
    const stop = new AbortController()
    const begun = join(folder, 'begun')
    const file = script('waits.sh', `touch ${begun}\nexec sleep 600`)
    const running = call(tool(file), {}, { signal: stop.signal })
    await expect.poll(() => existsSync(begun), { timeout: 15_000 }).toBe(true)
    stop.abort()
    expect(await running).toMatchObject({ ok: false, reason: 'cancelled', message: '`waits` was cancelled' })
  })

  it('too much output', async () => {
    settings.outputBytes = 1024 * 1024
    const result = await call(tool('flood.sh'), {})
    settings.outputBytes = 10 * 1024 * 1024
    expect(result).toMatchObject({
      reason: 'limit',
      message: '`flood` printed more than 1 MiB and was ended; the first 64 KiB are kept',
      output: { kind: 'streams', stdout: { bytes: 65536, encoding: 'utf8' } },
    })
  })

  it('a file that was deleted since it was listed', async () => {
    const gone = join(folder, 'gone.sh')
    const message = expect.stringMatching(/^`gone` cannot start: .*gone\.sh is gone; it was deleted/)
    const output = { kind: 'none' }
    expect(await call(tool(gone), {})).toMatchObject({ ok: false, reason: 'spawn', message, output })
    const interpreted = tool(gone, { file: '/bin/sh', args: [gone] })
    expect(await call(interpreted, {})).toMatchObject({ ok: false, reason: 'spawn', message, output })
  })

  it('an interpreter that is not installed', async () => {
    const file = join(folder, 'strange.xyz')
    writeFileSync(file, '#!/usr/bin/env xyz-nowhere\n')
    chmodSync(file, 0o755)
    expect(await call(tool(file), {})).toMatchObject({
      reason: 'spawn',
      message: expect.stringContaining('its interpreter `xyz-nowhere` is not installed'),
    })
  })

  it('arguments that are too large, with the way out', async () => {
    const text = 'x'.repeat(3_000_000)
    expect(await call(tool('repeat.sh'), { text })).toMatchObject({
      reason: 'spawn',
      message: expect.stringContaining('Pass large text as `stdin`'),
    })
    expect(stdout(await call(tool('repeat.sh'), { stdin: text }))).toBe(text)
  })

  it('a name that cannot be a flag', async () => {
    expect(await call(tool('words.sh'), { 'a b': 1 })).toMatchObject({
      ok: false,
      reason: 'input',
      message: expect.stringContaining('"a b"'),
      output: { kind: 'none' },
    })
  })
})

describe('a schema for the input (reading t)', () => {
  const inputSchema = {
    type: 'object',
    properties: { name: { type: 'string' }, greeting: { type: 'string', default: 'Hello' } },
    required: ['name'],
  }

  it('is checked before anything starts, with its defaults applied', async () => {
    const greet = { ...tool('words.sh'), inputSchema }
    expect(stdout(await call(greet, { name: 'Ada' }))).toBe('--name\nAda\n--greeting\nHello\n')
    expect(await call(greet, { nam: 'Ada', greeting: 1 })).toMatchObject({
      reason: 'input',
      message: 'the arguments of `words` do not fit: missing `name`; `greeting` must be string',
      output: { kind: 'none' },
    })
  })

  it('nothing is checked when nothing was declared', async () => {
    expect(await call(tool('words.sh'), { anything: [{}] })).toMatchObject({ ok: true })
  })

  it('one that cannot be used is said so', async () => {
    expect(await call({ ...tool('words.sh'), inputSchema: { type: 'nonsense' } }, {})).toMatchObject({
      reason: 'input',
      message: expect.stringContaining('`words` has an input schema that cannot be used'),
    })
  })
})

describe('a schema for the output', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const printing = (text: string, status = 0) => {
    const file = script('print.sh', `cat <<'EOF'\n${text}\nEOF\necho note >&2\nexit ${status}`)
    return { ...tool(file), outputSchema }
  }

  it('makes standard output a value', async () => {
    expect(await call(printing('{"n": 1}'), {})).toMatchObject({
      ok: true,
      output: { kind: 'value', value: { n: 1 }, stderr: utf8('note\n') },
    })
  })

  it.each([
    ['{"n": "1"}', '`print` printed JSON that does not fit its output schema: `/n` must be number'],
    [
      '{"n": 1,\n}',
      '`print` did not print JSON, as its output schema asks for: unexpected "}" at line 2, column 1',
    ],
    [
      '{"n": 1',
      '`print` did not print JSON, as its output schema asks for: it ends too early at line 2, column 1',
    ],
    ['', '`print` printed nothing, but its output schema asks for JSON'],
  ])('%j does not fit', async (text, message) => {
    const result = await call(printing(text), {})
    expect(result).toMatchObject({ ok: false, reason: 'output', message })
    expect(result.output).toMatchObject({
      kind: 'streams',
      stdout: utf8(`${text}\n`),
      stderr: utf8('note\n'),
    })
  })

  it('bytes that are not UTF-8 do not fit, nor does a schema that cannot be used', async () => {
    expect(await call({ ...tool('binary.sh'), outputSchema }, {})).toMatchObject({
      reason: 'output',
      message: expect.stringContaining('not UTF-8'),
    })
    expect(await call({ ...printing('1'), outputSchema: { type: 'nonsense' } }, {})).toMatchObject({
      reason: 'output',
      message: expect.stringContaining('cannot be used'),
    })
  })

  it('a status that is not zero wins', async () => {
    expect(await call(printing('no JSON', 4), {})).toMatchObject({ reason: 'exit', output: { exitCode: 4 } })
  })
})

describe('many calls', () => {
  it('500 at once all answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        call(tool('words.sh'), { args: [String(index)] }, { connection: `c${index % 7}` }),
      ),
    )
    expect(answers.map(stdout)).toEqual(answers.map((_, index) => `${index}\n`))
  }, 120_000)

  it('a waiting call can be cancelled, and its time in the queue is not its time to run', async () => {
    settings.concurrency = 1
    const first = call(within(1_500, tool('slow.sh', { args: ['3'] })), {})
    const stop = new AbortController()
    const second = call(tool('words.sh'), {}, { signal: stop.signal })
    const third = call(within(1_000, tool('words.sh')), {})
    stop.abort()
    expect(await second).toMatchObject({
      reason: 'cancelled',
      message: '`words` was cancelled before it started',
      output: { kind: 'none' },
    })
    expect(await first).toMatchObject({ reason: 'timeout' })
    expect(await third).toMatchObject({ ok: true })
    expect(measured.at(-1)?.queuedMs).toBeGreaterThan(1_000)
    settings.concurrency = 8
  })
})

const CALLER = { connection: 'test', requestId: 1, transport: 'stdio', era: 'modern' } as const

interface Circumstances {
  readonly signal?: AbortSignal
  readonly connection?: string
}

function call(tool: Tool, args: JsonObject, circumstances: Circumstances = {}): Promise<CallResult> {
  return callTool(asCall([tool], tool.name, args, circumstances))
}

function asCall(
  tools: readonly Tool[],
  name: string,
  args: JsonObject,
  { signal = new AbortController().signal, connection = 'test' }: Circumstances = {},
): Call {
  return {
    catalog: { tools: new Map(tools.map((tool) => [tool.name, tool])), problems: [] },
    name,
    arguments: args,
    signal,
    caller: { ...CALLER, connection },
  }
}

/** A bare name is a fixture. */
function tool(file: string, command: Partial<Command> = {}): Tool {
  const path = file.includes('/') ? file : join(TOOLS, file)
  return {
    name: (path.split('/').at(-1) ?? '').replace(/\..*$/, ''),
    version: '1.2.3',
    description: '',
    origin: { kind: 'loose', file: path },
    run: { kind: 'spawn', command: { file: path, args: [], cwd: TOOLS, script: path, ...command } },
    digest: '',
  }
}

function within(timeoutMs: number, tool: Tool): Tool {
  return { ...tool, run: { ...tool.run, timeoutMs } }
}

function script(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
  return file
}

function stdout({ output }: { readonly output: Output }): string {
  return output.kind === 'streams' ? output.stdout.text : JSON.stringify(output)
}

function utf8(text: string) {
  return { text, encoding: 'utf8', bytes: Buffer.byteLength(text) }
}

function copyEcho(): string {
  const path = join(folder, 'copied')
  copyFileSync('/bin/echo', path)
  chmodSync(path, 0o755)
  return path
}

function hasCompiler(): boolean {
  return ['/usr/bin/cc', '/usr/local/bin/cc'].some((path) => existsSync(path))
}
