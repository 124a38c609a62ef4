import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { A_PACKAGE } from '../../../test/package-facts.ts'
import type {
  CallResult,
  ChainStep,
  Json,
  JsonObject,
  Measurement,
  Progress,
  StepInput,
  Tool,
} from '../../model/index.ts'
import { createNodeStarter } from '../../platform/index.ts'
import { createCallTool } from '../index.ts'

const folder = mkdtempSync(join(tmpdir(), 'chains-'))
const starter = createNodeStarter()
const measured: Measurement[] = []
const settings = { timeoutMs: 30_000, concurrency: 1, outputBytes: 1024 * 1024 }
const callTool = createCallTool({
  starter,
  settings: () => settings,
  environment: () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LOG: join(folder, 'log') }),
  onCall: (measurement) => measured.push(measurement),
})

beforeEach(() => {
  measured.length = 0
  settings.concurrency = 1
  writeFileSync(join(folder, 'log'), '')
})
afterAll(async () => {
  await starter.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Prints its arguments, as JSON. */
const ECHO = local('echo', 'cat', { type: 'object' })
/** Says when it begins and ends. */
const NOTE = local('note', 'echo "+ $1" >>"$LOG"; sleep 0.2; echo "- $1" >>"$LOG"; echo "$1"')
const FAIL = local('fail', 'echo tried >>"$LOG"; echo it broke >&2; exit 3')
const SLOW = local('slow', 'echo begun >>"$LOG"; sleep 60')
const LOOSE: Tool = {
  ...FAIL,
  name: 'loose',
  run: { kind: 'spawn', command: command('loose', 'echo hi; echo oh >&2') },
}

describe('a chain', () => {
  it('Q118 Q119 Q120: steps get what they are mapped, and the last one gives the result', async () => {
    const result = await run([
      step('read', ECHO, { path: '$.input.pdf', kind: 'text' }, { outputKey: 'raw' }),
      step('clean', ECHO, { text: '$.raw.path', both: '$.read.kind', n: 3, none: '$.input.none' }),
      step('embed', ECHO, { text: '$.clean.text', all: "$['raw','clean'].kind", model: '$.input.model' }),
    ])
    expect(value(result)).toEqual({ text: '/a.pdf', all: 'text', model: 'small' })
    expect(measured.map(({ tool, success }) => [tool, success])).toEqual([
      ['echo', true],
      ['echo', true],
      ['echo', true],
      ['chain', true],
    ])
    expect(measured.at(-1)).toMatchObject({
      bytesIn: JSON.stringify({ pdf: '/a.pdf', model: 'small' }).length,
      bytesOut: JSON.stringify(value(result)).length,
    })
  })

  it('Q90: a step that may not run ends the chain before it runs, and is not tried again', async () => {
    const guarded = createCallTool({
      starter,
      settings: () => settings,
      environment: () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LOG: join(folder, 'log') }),
      onCall: (measurement) => measured.push(measurement),
      admit: ({ name }) => (name === 'note' ? 'nobody has accepted `note`' : undefined),
    })
    const tool = chain('chain', [step('first', ECHO, {}), step('second', NOTE, {}, { retry: 3 })])
    const result = await guarded({
      catalog: { tools: new Map([ECHO, NOTE, tool].map((one) => [one.name, one])), problems: [] },
      name: 'chain',
      arguments: {},
      signal: new AbortController().signal,
      caller: { connection: 'test', requestId: 1, transport: 'cli', era: 'none' },
    })
    expect(result).toMatchObject({
      ok: false,
      reason: 'denied',
      message: expect.stringMatching(/second.*note/),
    })
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('')
    expect(measured.filter(({ tool: name }) => name === 'note')).toHaveLength(1)
  })

  it('Q90: what a step gave before is not given to who may not call it any more', async () => {
    let isAccepted = true
    const guarded = createCallTool({
      starter,
      settings: () => settings,
      environment: () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LOG: join(folder, 'log') }),
      admit: ({ name }) => (name === 'note' && !isAccepted ? 'nobody has accepted `note`' : undefined),
    })
    const inner = chain('inner', [step('note', NOTE, { x: 'p' })])
    const tool = chain('chain', [step('first', inner, {}, { cache: { ttlMs: 60_000 } })])
    const call = () =>
      guarded({
        catalog: { tools: new Map([NOTE, inner, tool].map((one) => [one.name, one])), problems: [] },
        name: 'chain',
        arguments: {},
        signal: new AbortController().signal,
        caller: { connection: 'test', requestId: 1, transport: 'cli', era: 'none' },
      })
    expect([(await call()).ok, (await call()).ok]).toEqual([true, true])
    expect(log()).toHaveLength(2)
    isAccepted = false
    expect(await call()).toMatchObject({ ok: false, reason: 'denied' })
  })

  it('Q120: one value is a value, several are a list, none leaves the key out', async () => {
    const input = { list: [1, 2], one: [3], nothing: null }
    const steps = [
      step('a', ECHO, {
        several: '$.input.list[*]',
        single: '$.input.one[*]',
        absent: '$.input.x[*]',
        nothing: '$.input.nothing',
        money: '$5',
      }),
    ]
    expect(value(await run(steps, input))).toEqual({ several: [1, 2], single: 3, nothing: null, money: '$5' })
  })

  it('Q120: the output of a loose tool is what it printed', async () => {
    const steps = [step('a', LOOSE), step('b', ECHO, { out: '$.a' })]
    expect(value(await run(steps))).toEqual({ out: { stdout: 'hi\n', stderr: 'oh\n', exit_code: 0 } })
  })

  it('Q119: a failing step ends it, and the result names the step, its tool and its error', async () => {
    const result = await run([step('one', ECHO), step('two', FAIL), step('three', NOTE)])
    const message = '`chain` failed at step `two` (`fail`): `fail` exited with status 3'
    expect(result).toMatchObject({
      ok: false,
      reason: 'exit',
      message,
      output: { kind: 'content', content: [{ text: message }, { text: 'stderr: it broke\n' }] },
    })
    expect(log()).toEqual(['tried'])
  })

  it('Q119: a step whose arguments do not fit, and one whose tool is not there', async () => {
    const strict: Tool = { ...ECHO, name: 'strict', inputSchema: { type: 'object', required: ['a'] } }
    expect(message(await run([step('x', strict)], {}, { tools: [strict] }))).toBe(
      '`chain` failed at step `x` (`strict`): the arguments of `strict` do not fit: missing `a`',
    )
    const gone = { ...step('x', ECHO), tool: 'gone' }
    expect(message(await run([gone]))).toBe(
      '`chain` failed at step `x` (`gone`): there is no tool called `gone`',
    )
  })

  it('Q119: progress tells the step', async () => {
    const heard: Progress[] = []
    await run(
      [step('a', ECHO), step('b', ECHO, {}, { when: '$.input.none' })],
      {},
      { progress: (one) => heard.push(one) },
    )
    expect(heard).toEqual([
      { progress: 1, total: 2, message: 'a' },
      { progress: 2, total: 2, message: 'b' },
    ])
  })

  it('Q119: cancelling reaches the step that runs', async () => {
    const stop = new AbortController()
    const result = run([step('a', SLOW), step('b', NOTE)], {}, { signal: stop.signal })
    await expect.poll(log, { timeout: 20_000 }).toEqual(['begun'])
    stop.abort()
    expect(await result).toMatchObject({ reason: 'cancelled', message: '`chain` was cancelled' })
    expect(measured).toMatchObject([{ tool: 'slow', reason: 'cancelled' }, { tool: 'chain' }])
  })

  it('Q119: time limits of a step and of the whole', async () => {
    const steps = [step('a', SLOW, {}, { timeoutMs: 300 })]
    expect(await run(steps)).toMatchObject({
      reason: 'timeout',
      message: '`chain` failed at step `a` (`slow`): `slow` did not finish within 300 ms',
    })
    expect(await run([step('a', SLOW)], {}, { timeoutMs: 300 })).toMatchObject({
      reason: 'timeout',
      message: '`chain` did not finish within 300 ms',
    })
  })

  it('Q121: chains of chains, down to a limit, on one place in the queue', async () => {
    const inner = chain('inner', [step('a', NOTE, { x: '$.input.x' })])
    const steps = [step('b', inner, { x: 'deep' }), step('c', ECHO, { got: '$.b.x' })]
    expect(value(await run(steps, {}, { tools: [inner] }))).toEqual({ got: 'deep' })
    const endless = chain('endless', [])
    const itself = chain('endless', [step('again', endless)])
    const result = await run([step('begin', itself)], {}, { tools: [itself] })
    expect(result).toMatchObject({ reason: 'limit' })
    expect(message(result)).toMatch(/`endless` is not started: it is inside 16 other chains$/)
  })
})

describe('extensions of a step', () => {
  it('Q118: when: only if something is there; the result is that of the last step that ran', async () => {
    const when = (path: string) => [step('a', ECHO, { a: 1 }), step('b', ECHO, { b: 2 }, { when: path })]
    expect(value(await run(when('$.a.a')))).toEqual({ b: 2 })
    expect(value(await run(when('$.a.none')))).toEqual({ a: 1 })
    expect(value(await run(when('$.a[?@ == 2]')))).toEqual({ a: 1 })
  })

  it('Q118: forEach: once for each, in order, and no more at once than there are places', async () => {
    const steps = [
      step('a', NOTE, { i: '$.index', x: '$.item' }, { forEach: '$.input.list[*]', concurrency: 3 }),
    ]
    const expected = ['p', 'q', 'r', 's'].map((x, i) => ({ i, x }))
    expect(value(await run(steps, { list: ['p', 'q', 'r', 's'] }))).toEqual(expected)
    expect(busiest()).toBe(1)
    settings.concurrency = 8
    writeFileSync(join(folder, 'log'), '')
    expect(value(await run(steps, { list: ['p', 'q', 'r', 's'] }))).toEqual(expected)
    expect(busiest()).toBeLessThanOrEqual(3)
    expect(value(await run(steps, { list: [] }))).toEqual([])
  })

  it('Q118: forEach: the first failure ends it, and says for which', async () => {
    const picky = local('picky', 'case "$1" in *bad*) exit 4;; esac; echo "$1"')
    const steps = [step('a', picky, { x: '$.item' }, { forEach: '$.input.list[*]', concurrency: 1 })]
    const input = { list: ['good', 'bad', 'good'] }
    expect(message(await run(steps, input, { tools: [picky] }))).toBe(
      '`chain` failed at step `a` (`picky`): item 1: `picky` exited with status 4',
    )
    expect(measured).toHaveLength(3)
    const lenient = steps.map((one) => ({ ...one, optional: true }))
    expect(value(await run(lenient, input, { tools: [picky] }))).toEqual([{ x: 'good' }, null, { x: 'good' }])
  })

  it('Q118: retry: further attempts', async () => {
    const second = local('second', 'echo tried >>"$LOG"; [ "$(wc -l <"$LOG")" -ge 2 ] || exit 1; echo "{}"')
    expect(await run([step('a', second, {}, { retry: 3 })], {}, { tools: [second] })).toMatchObject({
      ok: true,
    })
    expect(log()).toHaveLength(2)
    expect(await run([step('a', FAIL, {}, { retry: 1 })])).toMatchObject({ ok: false })
    expect(log()).toHaveLength(4)
  })

  it('Q118: optional: its failure leaves its output out', async () => {
    const steps = [step('a', FAIL, {}, { optional: true }), step('b', ECHO, { a: '$.a', b: 1 })]
    expect(value(await run(steps))).toEqual({ b: 1 })
  })

  it('Q118: parallel: steps that do not use each other run together', async () => {
    settings.concurrency = 4
    const beside = { parallel: true }
    const pair = (tool: Tool) => [
      step('a', tool, { x: 'a' }, beside),
      step('b', tool, { x: 'b' }, beside),
      step('c', ECHO, { a: '$.a.x', b: '$.b.x' }),
    ]
    // Neither ends before the other has begun.
    const meet = local(
      'meet',
      'echo here >>"$LOG"; until [ "$(wc -l <"$LOG")" -ge 2 ]; do sleep 0.05; done; echo "$1"',
    )
    expect(value(await run(pair(meet), {}, { tools: [meet] }))).toEqual({ a: 'a', b: 'b' })
    settings.concurrency = 1
    writeFileSync(join(folder, 'log'), '')
    expect(value(await run(pair(NOTE)))).toEqual({ a: 'a', b: 'b' })
    expect(busiest()).toBe(1)
  })

  it('Q118: parallel: one that fails ends the others', async () => {
    settings.concurrency = 4
    const steps = [step('a', SLOW, {}, { parallel: true }), step('b', FAIL, {}, { parallel: true })]
    expect(message(await run(steps))).toBe('`chain` failed at step `b` (`fail`): `fail` exited with status 3')
    expect(measured.map(({ tool, reason }) => `${tool} ${reason}`).sort()).toEqual([
      'chain exit',
      'fail exit',
      'slow cancelled',
    ])
  })

  it('Q118: cache: what succeeded is used again, for the same tool and the same input', async () => {
    const steps = (x: string) => [step('a', NOTE, { x }, { cache: { ttlMs: 60_000 } })]
    expect(value(await run(steps('p')))).toEqual({ x: 'p' })
    expect(value(await run(steps('p')))).toEqual({ x: 'p' })
    expect(log()).toHaveLength(2)
    await run(steps('q'))
    expect(log()).toHaveLength(4)
    await run(
      [step('a', { ...NOTE, digest: 'changed' }, { x: 'p' }, { cache: { ttlMs: 60_000 } })],
      {},
      {
        tools: [{ ...NOTE, digest: 'changed' }],
      },
    )
    expect(log()).toHaveLength(6)
    // Of a chain, also for the same tools that it calls.
    const inner = chain('inner', [step('n', NOTE, { x: 'p' })])
    const outer = [step('a', inner, {}, { cache: { ttlMs: 60_000 } })]
    await run(outer, {}, { tools: [inner] })
    await run(outer, {}, { tools: [inner] })
    expect(log()).toHaveLength(8)
    await run(outer, {}, { tools: [inner, { ...NOTE, digest: 'changed' }] })
    expect(log()).toHaveLength(10)
    const failing = [step('a', FAIL, {}, { cache: { ttlMs: 60_000 } })]
    await run(failing)
    await run(failing)
    expect(log()).toHaveLength(12)
  })
})

interface Circumstances {
  readonly tools?: readonly Tool[]
  readonly signal?: AbortSignal
  readonly progress?: (progress: Progress) => void
  readonly timeoutMs?: number
}

function run(
  steps: readonly ChainStep[],
  input: JsonObject = { pdf: '/a.pdf' },
  { tools = [], signal = new AbortController().signal, progress, timeoutMs }: Circumstances = {},
): Promise<CallResult> {
  const tool = chain('chain', steps, timeoutMs)
  const all = [ECHO, NOTE, FAIL, SLOW, LOOSE, ...tools, tool]
  return callTool({
    catalog: { tools: new Map(all.map((one) => [one.name, one])), problems: [] },
    name: 'chain',
    arguments: input,
    signal,
    caller: { connection: 'test', requestId: 1, transport: 'cli', era: 'none' },
    ...(progress && { progress }),
  })
}

function chain(name: string, steps: readonly ChainStep[], timeoutMs?: number): Tool {
  return {
    name,
    version: '1.0.0',
    description: '',
    inputSchema: { type: 'object', properties: { model: { type: 'string', default: 'small' } } },
    outputSchema: {},
    origin: { kind: 'package', file: '', folder, scope: 'project', package: A_PACKAGE },
    run: { kind: 'chain', steps, ...(timeoutMs !== undefined && { timeoutMs }) },
    digest: name,
  }
}

function step(
  name: string,
  tool: Tool,
  input: Record<string, Json> = {},
  rest: Partial<ChainStep> = {},
): ChainStep {
  const inputs = Object.entries(input).map(([key, value]): [string, StepInput] => [
    key,
    typeof value === 'string' && /^\$[.[]/.test(value)
      ? { kind: 'path', path: value }
      : { kind: 'literal', value },
  ])
  return {
    step: name,
    tool: tool.name,
    input: Object.fromEntries(inputs),
    outputKey: name,
    concurrency: 4,
    retry: 0,
    optional: false,
    parallel: false,
    ...rest,
  }
}

function local(name: string, text: string, inputSchema?: JsonObject): Tool {
  return {
    name,
    version: '1.0.0',
    description: '',
    ...(inputSchema && { inputSchema }),
    origin: { kind: 'package', file: '', folder, scope: 'project', package: A_PACKAGE },
    run: { kind: 'implementations', candidates: [{ id: 'sh', kind: 'local', command: command(name, text) }] },
    digest: name,
  }
}

function command(name: string, text: string) {
  const file = join(folder, `${name}.sh`)
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
  return { file, args: [], cwd: folder, script: file }
}

function log(): string[] {
  return readFileSync(join(folder, 'log'), 'utf8').split('\n').filter(Boolean)
}

/** How many ran at once, at most. */
function busiest(): number {
  let running = 0
  return Math.max(...log().map((line) => (running += line.startsWith('+') ? 1 : -1)))
}

function value({ output }: CallResult) {
  return output.kind === 'value' ? output.value : output
}

function message(result: CallResult): string {
  return result.ok ? '' : result.message
}
