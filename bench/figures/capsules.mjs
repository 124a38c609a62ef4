import { capsuleProject, LANGUAGES } from '../lib/capsule-project.mjs'
import { openTrio } from '../lib/capsule-trio.mjs'
import { openHttpEcho, openLoad } from '../lib/floors.mjs'
import { modernCall } from '../lib/modern.mjs'
import { openHttp, openStdio } from '../lib/orla.mjs'
import { resident } from '../lib/process.mjs'
import { ratio, value } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'
import { sums } from '../lib/stats.mjs'

export const title = 'Capsules'
/** As someone calls who thinks in between. */
const PAUSE_MS = 50
export const about = `Whether programs that take turns share a processor decides much of what a single call takes. Left to themselves, the two of a floor
share one for the first hundreds of calls in a row, and use both after that; the three of a call through Orla use both from the
beginning. Therefore single calls are made in short rows, in long ones, and each after ${PAUSE_MS} ms in which nothing happens.`

const HUNDRED = 100

/** Calls to programs that run already, against talking to the same program without Orla. */
export async function measure({ scratch, quick }) {
  const rows = []
  for (const language of Object.keys(LANGUAGES)) rows.push(...(await roundTrips(scratch, quick, language)))
  rows.push(...(await overHttp(scratch, quick)), ...(await hundred(scratch)))
  return rows
}

async function roundTrips(scratch, quick, language) {
  const { what } = LANGUAGES[language]
  const trio = await openTrio(scratch, quick, language)
  const rows = []
  for (const [how, width, count, times, pauseMs] of [
    ['serial, 200 in a row', 1, 200, 25],
    ['serial, 5,000 in a row', 1, 5_000, 9],
    ['each after a pause', 1, 10, 9, PAUSE_MS],
    ['64 in flight', 64, 1_000, 25],
  ]) {
    const figures = await rounds(quick ? 4 : times, trio.contenders(count, width, pauseMs))
    const base = { figure: `call of ${what} over stdio, ${how}`, unit: 'ms', value: figures.orla }
    rows.push(
      ratio({
        ...base,
        against: 'the same pipe without Orla + bare MCP echo',
        floor: sums(figures.pipe, figures.echo),
        ...(width === 1 && { most: 1.6 }),
      }),
    )
    if (width > 1) rows.push(ratio({ ...base, against: 'the same pipe without Orla', floor: figures.pipe }))
  }
  await trio.stop()
  return rows
}

async function overHttp(scratch, quick) {
  const orla = await openHttp(scratch, capsuleProject(scratch, 'node', ['warm']))
  const echo = await openHttpEcho()
  const load = openLoad()
  const rows = []
  for (const width of [1, 32]) {
    const seen = []
    const ask = (url, keep) => async () => {
      const answer = await load.run({ url, ...modernCall('warm'), width, ms: quick ? 120 : 400 })
      if (answer.failure || answer.errors) throw new Error(`${answer.failure ?? answer.errors}`)
      if (keep) seen.push(answer.p99 / answer.p50)
      return answer.rate
    }
    const figures = await rounds(quick ? 3 : 9, { orla: ask(orla.url, true), floor: ask(echo.url) })
    rows.push(
      ratio({
        figure: `call of a Node capsule over HTTP, ${width} in flight`,
        against: 'bare `node:http` echo',
        unit: 'requests/s',
        value: figures.orla,
        floor: figures.floor,
        least: 0.5,
      }),
    )
    if (width > 1) {
      rows.push(value({ figure: `its slowest hundredth (p99 by p50)`, unit: '×', value: seen, mostValue: 5 }))
    }
  }
  await Promise.all([orla, echo, load].map((one) => one.stop()))
  return rows
}

/** What a hundred running capsules cost the server itself. */
async function hundred(scratch) {
  const names = Array.from({ length: HUNDRED }, (_, index) => `warm-${index}`)
  const orla = openStdio(scratch, capsuleProject(scratch, 'sh', names))
  await orla.initialize()
  await orla.ask('tools/list')
  await orla.call(names[0])
  const before = resident(orla.pid)
  const begun = performance.now()
  await Promise.all(names.map((name) => orla.call(name)))
  const ms = performance.now() - begun
  const after = resident(orla.pid)
  await orla.stop()
  return [
    value({ figure: '100 capsules started and answered', unit: 'ms', value: [ms] }),
    value({
      figure: 'memory in Orla for each of 100 running capsules',
      unit: 'KB',
      value: [((after - before) * 1024) / (HUNDRED - 1)],
      mostValue: 150,
    }),
  ]
}
