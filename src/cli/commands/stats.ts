import {
  clearStatistics,
  type ShownStatistics,
  type ShownTool,
  showStatistics,
  showTool,
  statisticsJson,
  successRate,
} from '../../app/index.ts'
import { blamesTool, type Latency, type ToolStatistics } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { count } from '../count.ts'
import { drawBars } from '../histogram.ts'
import type { Printer } from '../printer.ts'
import { configRequest } from '../settings.ts'
import { shownVersion } from '../shown-version.ts'
import { parseSince } from '../since.ts'

export const statsCommand: Handler = async (input, { world, printer, program }) => {
  const [name] = input.positionals
  const since = parseSince(input.text('since'), Date.now())
  if (name !== undefined) {
    const shown = await showTool(world, configRequest(input), name, since)
    if (input.flag('json')) printer.json(toolJson(shown))
    else printTool(printer, shown, canDraw(world.env))
    return 0
  }
  const shown = await showStatistics(world, configRequest(input), since)
  if (input.flag('json')) printer.json(allJson(shown))
  else printAll(printer, shown, program)
  return 0
}

export const statsClearCommand: Handler = async (input, { world, printer }) => {
  const [name] = input.positionals
  const cleared = await clearStatistics(world, configRequest(input), name)
  if (input.flag('json')) printer.json({ cleared })
  else printer.note(`Forgot what was known of ${count(cleared, 'tool')}.`)
  return 0
}

function allJson({ since, totals }: ShownStatistics) {
  return { since: timeOf(since), tools: totals.map((one) => withoutWay(one)) }
}

function toolJson({ since, total, ways, histogram }: ShownTool) {
  return {
    since: timeOf(since),
    ...withoutWay(total),
    ways: ways.map(statisticsJson),
    histogram: histogram.map(({ belowMs, count }) => ({ below_ms: belowMs, count })),
  }
}

function withoutWay(one: ToolStatistics) {
  const { implementation: _, ...rest } = statisticsJson(one)
  return rest
}

function printAll(printer: Printer, shown: ShownStatistics, program: string): void {
  const { totals, since, isOn } = shown
  if (totals.length > 0) {
    // What a narrow terminal cuts off stands last.
    printer.table(
      totals.map((one) => [
        one.tool,
        String(one.count),
        percent(successRate(one)),
        one.tests === null ? '-' : `${one.tests.passed}/${one.tests.passed + one.tests.failed}`,
        ago(one.lastAt),
        ...latencyCells(one.latency),
        shownVersion(one.version),
      ]),
      ['TOOL', 'CALLS', 'SUCCESS', 'TESTS', 'LAST USED', 'P50', 'P95', 'P99', 'VERSION'],
    )
  } else if (since !== null) {
    printer.note(`No calls are known since ${timeOf(since)}.`)
  } else {
    printer.note('No calls are known yet. They are counted while tools are served,')
    printer.note(`and with \`${program} call NAME\`; tests with \`${program} test\`.`)
  }
  printState(printer, shown, isOn)
}

function printTool(printer: Printer, shown: ShownTool, unicode: boolean): void {
  const { total, ways, histogram, isOn } = shown
  printer.data(printer.paint('bold', total.tool))
  printer.table([
    ['calls', callWords(total)],
    ['took', total.latency === null ? '-' : latencyWords(total.latency)],
    ['errors', errorWords(total)],
    ...(total.failuresInARow > 1
      ? [['in a row', `${total.failuresInARow} failures since the last success`]]
      : []),
    ['bytes', `${total.bytesIn} in, ${total.bytesOut} out`],
    ['tests', testWords(total)],
    ['used', `first ${timeOf(total.firstAt)}, last ${timeOf(total.lastAt)}`],
  ])
  if (ways.length > 1 || ways.some(({ implementation }) => implementation !== null)) {
    printer.data('')
    printer.table(
      ways.map((one) => [
        shownVersion(one.version),
        one.implementation ?? '-',
        String(one.count),
        percent(successRate(one)),
        ...latencyCells(one.latency),
        ago(one.lastAt),
      ]),
      ['VERSION', 'IMPLEMENTATION', 'CALLS', 'SUCCESS', 'P50', 'P95', 'P99', 'LAST USED'],
    )
  }
  if (histogram.length > 0) {
    printer.data('')
    for (const line of drawBars(
      histogram.map(({ belowMs, count }) => ({ label: `< ${duration(belowMs)}`, count })),
      unicode,
    ))
      printer.data(line)
  }
  printState(printer, shown, isOn)
}

function printState(printer: Printer, { damaged }: Pick<ShownStatistics, 'damaged'>, isOn: boolean): void {
  if (damaged.length > 0)
    printer.note(`Some of the statistics are damaged and were left out (${damaged.join(', ')}).`)
  if (!isOn) printer.note('`statistics` is off: nothing is added.')
}

function callWords(total: ToolStatistics): string {
  const rate = successRate(total)
  return rate === null ? String(total.count) : `${total.count}, ${percent(rate)} succeeded`
}

/** A caller's mistakes are told beside what speaks against the tool. */
function errorWords({ errors }: ToolStatistics): string {
  const words = Object.entries(errors).map(([reason, count]) =>
    blamesTool(reason) ? `${count} ${reason}` : `${count} ${reason} (not the tool's)`,
  )
  return words.join(', ') || 'none'
}

function testWords({ tests }: ToolStatistics): string {
  if (tests === null) return '-'
  const took = tests.latency === null ? '' : `, ${duration(tests.latency.p50Ms)} each`
  return `${tests.passed} passed, ${tests.failed} failed ${ago(tests.at)}${took}`
}

function latencyWords({ p50Ms, p95Ms, p99Ms }: Latency): string {
  return `${duration(p50Ms)} (p50), ${duration(p95Ms)} (p95), ${duration(p99Ms)} (p99)`
}

function latencyCells(latency: Latency | null): string[] {
  return latency === null ? ['-', '-', '-'] : [latency.p50Ms, latency.p95Ms, latency.p99Ms].map(duration)
}

function percent(share: number | null): string {
  return share === null ? '-' : `${Number((100 * share).toFixed(share > 0.99 && share < 1 ? 2 : 1))}%`
}

/** Three digits are as many as are known. */
function duration(ms: number): string {
  const [value, unit] = ms < 1 ? [1_000 * ms, 'µs'] : ms < 1_000 ? [ms, 'ms'] : [ms / 1_000, 's']
  return `${Number(value.toPrecision(3))} ${unit}`
}

function ago(at: number): string {
  const minutes = Math.floor((Date.now() - at) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`
  return `${Math.floor(minutes / 1_440)} days ago`
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** Bars of blocks where they can be shown: not on a plain console, and only where text is UTF-8. */
function canDraw(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ''
  return env.TERM !== 'dumb' && env.TERM !== 'linux' && /utf-?8/i.test(locale)
}
