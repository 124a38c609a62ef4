import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openWorker } from '../lib/floors.mjs'
import { eventually, openStdio, timeOrla } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds, time } from '../lib/rounds.mjs'
import { manyTools, writeTool } from '../lib/scratch.mjs'

export const title = 'Scan and reload, 10,000 tools'
const SIZE = 10_000

/** What a folder of ten thousand costs, against looking at its files in C and in Node. */
export async function measure({ scratch, quick }) {
  const project = manyTools(scratch, SIZE)
  const scanner = scratch.compile('scan')
  const worker = scanner && openWorker(scanner, [join(project, 'tools')])
  const count = quick ? 3 : 12
  const rows = worker ? await listing(scratch, project, worker, count) : []

  const orla = openStdio(scratch, project)
  await orla.initialize()
  if (worker) rows.push(await unchangedScan(orla, worker, count))
  rows.push(await reload(orla, project, count))
  await orla.stop()
  await worker?.stop()
  return rows
}

/** From outside, a scan is seen only as what ten thousand tools add to a command that lists them. */
async function listing(scratch, project, worker, count) {
  const one = manyTools(scratch, 1)
  const forget = (...kept) => {
    for (const one of kept) rmSync(join(scratch.home, 'cache', one), { recursive: true, force: true })
  }
  const figures = await rounds(count, {
    async cold() {
      forget('answers', 'catalog')
      return timeOrla(scratch, project, ['list'])
    },
    // Whatever came before it in the round: first what is kept of the files, then the answer itself.
    async kept() {
      forget('answers')
      await timeOrla(scratch, project, ['list'])
      forget('answers')
      return timeOrla(scratch, project, ['list'])
    },
    async again() {
      await timeOrla(scratch, project, ['list'])
      await timeOrla(scratch, project, ['list'])
      return timeOrla(scratch, project, ['list'])
    },
    one: () => timeOrla(scratch, one, ['list']),
    floor: () => worker.measure(3),
  })
  const added = (values) => values.map((value, round) => value - figures.one[round])
  const row = (figure, values, most) =>
    ratio({ figure, against: 'C scan', unit: 'ms', value: added(values), floor: figures.floor, most })
  return [
    row('cold: what 10,000 tools add to `orla list`', figures.cold, 1.5),
    row('the same with what an earlier command kept', figures.kept, 1.5),
    row('the same asked once more', figures.again),
  ]
}

async function unchangedScan(orla, worker, count) {
  let reloads = 0
  const byHangup = () =>
    orla.records().filter(({ msg, trigger }) => msg === 'reloaded' && trigger === 'SIGHUP')
  const figures = await rounds(count, {
    async orla() {
      orla.child.kill('SIGHUP')
      reloads++
      return (await eventually(() => byHangup()[reloads - 1], orla.child)).duration_ms
    },
    floor: () => worker.measure(3),
  })
  return ratio({
    figure: 'unchanged scan: a reload as the server logs it',
    against: 'C scan',
    unit: 'ms',
    value: figures.orla,
    floor: figures.floor,
    most: 1,
  })
}

async function reload(orla, project, count) {
  const tools = join(project, 'tools')
  let changes = 0
  const figures = await rounds(count, {
    async orla() {
      // A connection is told of a newer catalog than the one it has listed.
      await orla.ask('tools/list')
      const told = orla.next('notifications/tools/list_changed')
      const begun = performance.now()
      writeTool(join(tools, 'tool_04321.sh'), 'echo changed', `Changed ${++changes} times.`)
      return (await told) - begun
    },
    floor: () => time(() => readdirSync(tools).map((name) => statSync(join(tools, name)))),
  })
  return ratio({
    figure: 'one changed file to `list_changed`',
    against: 'Node `readdir` + 10,000 `stat`',
    unit: 'ms',
    value: figures.orla,
    floor: figures.floor,
    mostValue: 150,
  })
}
