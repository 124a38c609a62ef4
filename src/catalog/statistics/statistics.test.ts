import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openJournal } from '../../platform/index.ts'
import { boundBook, createBook } from './book.ts'
import { createRecorder, type HeardCall } from './recorder.ts'
import { parseRows } from './row-text.ts'
import { DAY_MS, HOUR_MS } from './slot.ts'
import { compactStatistics, openStatistics } from './statistics.ts'

const NOW = Date.UTC(2026, 5, 15, 12, 30)

describe('Q94: what is known of a tool', () => {
  it('counts calls, errors by reason, bytes and latency by version and implementation', () => {
    const folder = makeFolder()
    record(folder, [
      { ms: 15, bytesIn: 5, bytesOut: 7 },
      { ms: 900 },
      { reason: 'exit', ms: 5_000, bytesOut: 1 },
      { reason: 'exit' },
      { version: '2.0.0', implementation: 'python', reason: 'timeout' },
    ])
    const statistics = openStatistics(folder, { now: NOW })
    expect(statistics.of('demo')).toHaveLength(2)
    const [first, second] = statistics.all()
    expect(first).toMatchObject({ version: '1.0.0', implementation: null, count: 4, errors: { exit: 2 } })
    expect(first).toMatchObject({ bytesIn: 5, bytesOut: 8, firstAt: NOW, lastAt: NOW, failuresInARow: 2 })
    // Failed calls say nothing about how long the work takes.
    expect(first?.latency?.p50Ms).toBeCloseTo(15, 0)
    expect(first?.latency?.p99Ms).toBeGreaterThan(890)
    expect(second).toMatchObject({ version: '2.0.0', implementation: 'python', latency: null })
    expect(statistics.totals()).toMatchObject([{ tool: 'demo', count: 5, errors: { exit: 2, timeout: 1 } }])
    expect(statistics.histogram('demo')).toMatchObject([
      { belowMs: 20, count: 1 },
      { belowMs: 50, count: 0 },
      { belowMs: 100, count: 0 },
      { belowMs: 200, count: 0 },
      { belowMs: 500, count: 0 },
      { belowMs: 1_000, count: 1 },
    ])
  })

  it("a caller's mistakes are counted, and held against nobody", () => {
    const folder = makeFolder()
    record(folder, [
      {},
      { reason: 'exit' },
      { reason: 'input' },
      { reason: 'cancelled' },
      { reason: 'denied' },
    ])
    const [one] = openStatistics(folder, { now: NOW }).all()
    expect(one).toMatchObject({ count: 5, failuresInARow: 1, recent: { count: 2, errors: 1 } })
    expect(one?.errors).toEqual({ exit: 1, input: 1, cancelled: 1, denied: 1 })
  })

  it('Q117: an implementation that could not start is held against it, not against the tool', async () => {
    const folder = makeFolder()
    const passedOver = [{ implementation: 'binary' }]
    record(folder, [
      { implementation: 'node', passedOver },
      { implementation: 'node', passedOver },
      { implementation: 'binary' },
    ])
    record(folder, [{ implementation: 'node', passedOver: [...passedOver, { implementation: 'node' }] }])
    await compactStatistics(folder, { wait: true })
    const statistics = openStatistics(folder, { now: NOW })
    expect(statistics.of('demo')).toMatchObject([
      { implementation: 'binary', count: 4, errors: { spawn: 3 } },
      { implementation: 'node', count: 3, errors: {} },
    ])
    for (const whole of [...statistics.totals(), ...statistics.versions()])
      expect(whole).toMatchObject({ implementation: null, count: 4, errors: {}, failuresInARow: 0 })
  })

  it('failures in a row are those since the last success of any process', () => {
    const folder = makeFolder()
    record(folder, [{ reason: 'exit' }, { reason: 'exit' }], NOW - HOUR_MS)
    record(folder, [{}], NOW - 10_000)
    record(folder, [{ reason: 'crashed' }], NOW - 5_000)
    record(folder, [{ reason: 'crashed' }], NOW)
    expect(openStatistics(folder, { now: NOW }).all()[0]?.failuresInARow).toBe(2)
  })

  it('what is old weighs less: half of it is gone after a week', () => {
    const folder = makeFolder()
    record(folder, [{}, { reason: 'exit' }], NOW - 7 * DAY_MS)
    record(folder, [{}], NOW)
    const { count, errors } = openStatistics(folder, { now: NOW }).all()[0]?.recent ?? { count: 0, errors: 0 }
    expect([count, errors]).toEqual([2, 0.5])
  })

  it('is told since an hour of the last two days, or since a day', async () => {
    const folder = makeFolder()
    for (const age of [0, 3 * HOUR_MS, 26 * HOUR_MS, 10 * DAY_MS, 100 * DAY_MS])
      record(folder, [{}], NOW - age)
    const countSince = (age: number) => openStatistics(folder, { now: NOW, since: NOW - age }).all()[0]?.count
    const look = () => [HOUR_MS, 4 * HOUR_MS, 2 * DAY_MS, 20 * DAY_MS, 200 * DAY_MS].map(countSince)
    expect(look()).toEqual([1, 2, 3, 4, 5])
    await compactStatistics(folder, { wait: true })
    expect(openStatistics(folder, { now: NOW }).all()[0]?.count).toBe(5)
    const { since } = openStatistics(folder, { now: NOW, since: NOW - HOUR_MS })
    expect(since).toBe(Date.UTC(2026, 5, 15, 11))
  })

  it('keeps hours for two days, days for sixty, and the rest as one', () => {
    const book = createBook()
    for (let hour = 0; hour < 24 * 365; hour++) {
      const at = NOW - hour * HOUR_MS
      const one = createRecorder(() => at)
      one.heard(call({}))
      for (const row of parseRows(one.take() ?? '')) book.add(row)
    }
    const [row] = boundBook(book.rows(), NOW)
    const kinds = [...(row?.slots.keys() ?? [])].map((slot) => slot[0])
    const count = (kind: string) => kinds.filter((one) => one === kind).length
    expect([count('h'), count('d'), count('o')]).toEqual([61, 58, 1])
    expect([...(row?.slots.values() ?? [])].reduce((sum, { count: calls }) => sum + calls, 0)).toBe(24 * 365)
  })

  it('Q111: tests are apart from calls, and the newest run counts', () => {
    const folder = makeFolder()
    const journal = openJournal(folder)
    const tell = (passed: number, failed: number, at: number) => {
      const recorder = createRecorder(() => at)
      recorder.tested('demo', '1.0.0', { passed, failed, at, ms: [10] })
      journal.append(recorder.take() ?? '')
    }
    tell(1, 2, NOW - 5_000)
    tell(3, 0, NOW)
    tell(0, 3, NOW - 10_000)
    const [one] = openStatistics(folder, { now: NOW }).all()
    expect(one).toMatchObject({
      count: 0,
      latency: null,
      lastAt: NOW,
      tests: { passed: 3, failed: 0, at: NOW },
    })
    expect(one?.tests?.latency?.p50Ms).toBeCloseTo(10, 0)
  })

  it('a record that could not be written comes with the next one, once', () => {
    const recorder = createRecorder(() => NOW)
    recorder.heard(call({}))
    expect(countIn(recorder.take())).toBe(1)
    recorder.heard(call({}))
    expect(countIn(recorder.take())).toBe(2)
    recorder.settle()
    expect(recorder.take()).toBeUndefined()
  })

  it('what someone else wrote there is left out', () => {
    const folder = makeFolder()
    const journal = openJournal(folder)
    for (const text of [
      '{}',
      '[1]',
      '[["../x","1",null,[],null]]',
      '[["demo","1",null,[["h1",-1]],null]]',
      '[["demo","1",null,[["h1",1,[],[],0,0,1e16,1e300,0,0,0]],[1,0,1e300,[]]]]',
      'x',
    ])
      journal.append(text)
    record(folder, [{}])
    const found = openStatistics(folder, { now: NOW }).all()
    expect(found).toMatchObject([{ tool: 'demo', version: '1.0.0', count: 1 }])
  })
})

function countIn(record: string | undefined): number {
  return parseRows(record ?? '')
    .flatMap(({ slots }) => [...slots.values()])
    .reduce((sum, { count }) => sum + count, 0)
}

function call(some: Partial<HeardCall>): HeardCall {
  return { tool: 'demo', version: '1.0.0', ms: 1, bytesIn: 0, bytesOut: 0, ...some }
}

function record(folder: string, calls: readonly Partial<HeardCall>[], at = NOW): void {
  const recorder = createRecorder(() => at)
  for (const one of calls) recorder.heard(call(one))
  openJournal(folder).append(recorder.take() ?? '')
}

function makeFolder(): string {
  const base = mkdtempSync(join(tmpdir(), 'orla-statistics-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  return join(base, 'statistics')
}
