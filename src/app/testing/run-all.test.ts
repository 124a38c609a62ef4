import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { httpCandidate, localCandidate, makeSubject, openBench } from '../../../test/testing-kit.ts'
import type { TestOutcome } from '../../formats/index.ts'
import { EMPTY_CATALOG } from '../../model/index.ts'
import { runAll } from './run-all.ts'
import { loadTestKit, readTests, type TestSubject } from './subject.ts'

const ECHO = 'printf %s "$1"'
const HELLO = { name: 'hello', input: { message: 'hello' }, expected: { message: 'hello' } }

type Bench = Awaited<ReturnType<typeof openBench>>

async function run(
  { runtime }: Bench,
  subject: TestSubject,
  options: { jobs?: number; repeat?: number; onOutcome?: (outcome: TestOutcome) => void } = {},
): Promise<readonly TestOutcome[]> {
  const kit = await loadTestKit()
  const { outcomes } = await runAll(readTests(subject, kit), runtime, {
    kit,
    catalog: EMPTY_CATALOG,
    jobs: 1,
    repeat: 1,
    signal: new AbortController().signal,
    ...options,
  })
  return outcomes
}

describe('the tests of a package', () => {
  it('Q108, Q111: check the input, call, check the output, and judge', async () => {
    const bench = await openBench()
    const subject = makeSubject(bench.folder, [localCandidate(bench.folder, ECHO)], {
      'a-passes': HELLO,
      'b-input': { name: 'b', input: { message: 1 } },
      'c-expected': { name: 'c', input: { message: 'x' }, expected: { message: 'y' } },
      'd-assertion': {
        name: 'd',
        input: { message: 'x' },
        assertions: [{ path: '$.message', matches: '^y', length: 2 }],
      },
      'e-broken': '{"name":',
    })
    const outcomes = await run(bench, subject)
    expect(outcomes.map(({ name, status, reasons }) => [name, status, ...reasons])).toEqual([
      ['hello', 'passed'],
      ['b', 'failed', expect.stringContaining('`message` must be string')],
      ['c', 'failed', '$.message: expected "y", found "x"'],
      ['d', 'failed', expect.stringContaining('"^y"'), expect.stringContaining('2')],
      ['e-broken.test.json', 'failed', expect.stringMatching(/^1:/)],
    ])
    expect(outcomes[2]?.diff.map(({ side, text }) => [side, text])).toContainEqual([
      'expected',
      '"message": "y"',
    ])
    expect(outcomes[0]).toMatchObject({ tool: 'demo.echo', file: 'tests/a-passes.test.json', runs: 1 })
  })

  it('Q108: output that does not fit the schema fails, and stderr is told', async () => {
    const bench = await openBench()
    const script = 'echo "went wrong" >&2; printf "{}"'
    const outcomes = await run(
      bench,
      makeSubject(bench.folder, [localCandidate(bench.folder, script)], { hello: HELLO }),
    )
    expect(outcomes[0]?.reasons).toEqual([
      expect.stringContaining('missing `/message`'),
      'stderr: went wrong',
    ])
  })

  it('null is a value that can be expected', async () => {
    const bench = await openBench()
    const subject = makeSubject(bench.folder, [localCandidate(bench.folder, 'printf null')], {
      'a-null': { name: 'a', input: { message: '' }, expected: null },
      'b-other': { name: 'b', input: { message: '' }, expected: {} },
    })
    const tools = subject.tools.map(({ outputSchema: _any, ...tool }) => tool)
    const outcomes = await run(bench, { ...subject, tools })
    expect(outcomes.map(({ status }) => status)).toEqual(['passed', 'failed'])
  })

  it('a test ends at its own time, also where the tool would give itself more', async () => {
    const bench = await openBench()
    const candidate = { ...localCandidate(bench.folder, 'sleep 60'), timeoutMs: 50_000 }
    const subject = makeSubject(bench.folder, [candidate], { slow: { ...HELLO, timeoutMs: 300 } })
    const [outcome] = await run(bench, subject)
    expect(outcome?.reasons[0]).toBe('`demo.echo` did not finish within 300 ms and was ended')
    expect(outcome?.ms).toBeLessThan(20_000)
  })

  it('several run at once, each is told in its turn', async () => {
    const bench = await openBench()
    let running = 0
    let most = 0
    const waiting: (() => void)[] = []
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        running++
        most = Math.max(most, running)
        // Answers go out in threes, the last first, so that three have to be asked for at once.
        waiting.unshift(() => {
          running--
          response.setHeader('content-type', 'application/json').end('{"message":"hello"}')
        })
        if (waiting.length === 3) for (const answer of waiting.splice(0)) answer()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo // a listening TCP server has one
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const subject = makeSubject(
      bench.folder,
      [httpCandidate(`http://127.0.0.1:${port}/`)],
      Object.fromEntries(names.map((name) => [name, { ...HELLO, name }])),
    )
    const told: string[] = []
    const outcomes = await run(bench, subject, { jobs: 3, onOutcome: ({ name }) => told.push(name) })
    expect(outcomes.map(({ status }) => status)).toEqual(names.map(() => 'passed'))
    expect([told, most]).toEqual([names, 3])
  })

  it('repeated, it tells how often a test failed', async () => {
    const bench = await openBench()
    const script = 'echo x >> count; if [ "$(wc -l < count)" = 2 ]; then exit 1; fi; printf %s "$1"'
    const subject = makeSubject(bench.folder, [localCandidate(bench.folder, script)], { hello: HELLO })
    const [outcome] = await run(bench, subject, { repeat: 4 })
    expect(outcome).toMatchObject({ status: 'failed', runs: 4, failedRuns: 1 })
  })
})
