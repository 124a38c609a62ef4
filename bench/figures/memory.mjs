import { openHttpEcho } from '../lib/floors.mjs'
import { openSession } from '../lib/http-session.mjs'
import { openHttp, openStdio } from '../lib/orla.mjs'
import { liveHeap, PROBED } from '../lib/probe.mjs'
import { resident } from '../lib/process.mjs'
import { ratio, value } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'
import { manyTools, twoTools } from '../lib/scratch.mjs'

export const title = 'Memory'
const CALLS_MS = 100_000

/** Resident memory, as the kernel counts it. */
export async function measure(context) {
  return [...(await idle(context)), ...(await afterCalls(context)), ...(await sessions(context))]
}

async function idle({ scratch, quick }) {
  const rows = []
  for (const [what, project] of [
    ['2 tools', twoTools(scratch)],
    ['10,000 tools', manyTools(scratch, 10_000)],
  ]) {
    const figures = await rounds(quick ? 2 : 5, {
      orla: () => residentOnce(openHttp(scratch, project), openSession),
      floor: () => residentOnce(openHttpEcho()),
    })
    rows.push(
      ratio({
        figure: `idle after a first HTTP client, ${what}`,
        against: 'idle bare `node:http` echo',
        unit: 'MB',
        value: figures.orla,
        floor: figures.floor,
        ...(what === '2 tools' && { mostValue: 75 }),
      }),
    )
  }
  return rows
}

/** A server that nobody has used yet has not loaded everything. */
async function residentOnce(opening, use) {
  const server = await opening
  await use?.(server.url)
  const figure = resident(server.pid)
  await server.stop()
  return figure
}

async function afterCalls({ scratch, quick }) {
  const goal = quick ? 1_000 : 10_000
  const orla = openStdio(scratch, twoTools(scratch), PROBED)
  await orla.initialize()
  await orla.ask('tools/list')
  const idle = { resident: resident(orla.pid), heap: await liveHeap(orla.child) }
  const end = performance.now() + CALLS_MS
  let done = await calls(orla, goal / 10, end)
  const early = resident(orla.pid)
  done += await calls(orla, goal * 0.8, end)
  // Collections come and go, so the last tenth is looked at more than once.
  const late = []
  for (let part = 0; part < 5; part++) {
    done += await calls(orla, goal / 50, end)
    late.push(resident(orla.pid))
  }
  const heap = await liveHeap(orla.child)
  await orla.stop()

  const name = (calls) => `after ${calls.toLocaleString('en')} calls`
  const base = { figure: name(goal), unit: 'MB', value: late, ...(done < goal && { note: `cut at ${done}` }) }
  return [
    ratio({ ...base, against: 'idle, the same process', floor: late.map(() => idle.resident) }),
    ratio({
      ...base,
      against: `${name(goal / 10)}, the same process`,
      floor: late.map(() => early),
    }),
    ratio({
      ...base,
      figure: `${name(goal)}, live heap`,
      against: 'idle',
      value: [heap],
      floor: [idle.heap],
    }),
  ]
}

/** Eight at once, until the goal or the end of the time. Resolves to how many there were. */
async function calls(orla, goal, end) {
  let begun = 0
  let done = 0
  const worker = async () => {
    while (begun < goal && performance.now() < end) {
      begun++
      await orla.call('binary')
      done++
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return done
}

/** The first sessions also warm the server up and are not counted; then batches, for a median and a spread. */
async function sessions({ scratch, quick }) {
  const orla = await openHttp(scratch, twoTools(scratch), PROBED)
  const batches = quick ? 3 : 5
  const size = 200
  const held = { heap: [], resident: [] }
  let before
  for (let batch = 0; batch <= batches; batch++) {
    for (let i = 0; i < size; i++) await openSession(orla.url)
    const now = { heap: await liveHeap(orla.child), resident: resident(orla.pid) }
    if (before) for (const key of Object.keys(held)) held[key].push(((now[key] - before[key]) * 1024) / size)
    before = now
  }
  await orla.stop()
  const each = `each of ${(batches * size).toLocaleString('en')} sessions`
  return [
    value({ figure: `${each}, live heap`, unit: 'KB', value: held.heap, mostValue: 20 }),
    value({ figure: `${each}, resident`, unit: 'KB', value: held.resident, mostValue: 20 }),
  ]
}
