import { join } from 'node:path'
import { openHttpEcho, openLoad } from '../lib/floors.mjs'
import { openSession } from '../lib/http-session.mjs'
import { legacy, modern, modernCall } from '../lib/modern.mjs'
import { openHttp } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'
import { twoTools } from '../lib/scratch.mjs'
import { median } from '../lib/stats.mjs'

export const title = 'Requests over HTTP'
export const about = `Every call starts a process, the echo none: the second floor starts one too. Calls that start none
are above, with capsules.`
const TOOL = 'binary'
const WIDTHS = [1, 32]

/** Requests a second, kept alive, against servers that do the least. */
export async function measure({ scratch, quick }) {
  const project = twoTools(scratch)
  const orla = await openHttp(scratch, project)
  const echo = await openHttpEcho()
  const spawner = await openHttpEcho(join(project, 'tools', TOOL))
  const load = openLoad()
  const plan = { load, ms: quick ? 120 : 250, count: quick ? 3 : 9 }
  const rows = []
  for (const request of [...legacyRequests(await openSession(orla.url)), ...modernRequests()]) {
    for (const width of WIDTHS) rows.push(await compare(plan, { ...request, width, orla, floor: echo }))
  }
  for (const request of modernRequests().filter(({ isCall }) => isCall)) {
    for (const width of WIDTHS) rows.push(await compare(plan, { ...request, width, orla, floor: spawner }))
  }
  await Promise.all([orla, echo, spawner, load].map((one) => one.stop()))
  return rows
}

async function compare({ load, ms, count }, { name, headers, body, width, orla, floor }) {
  const seen = { orla: [], floor: [] }
  const run = (url, list) => async () => {
    const answer = await load.run({ url, headers, body, width, ms })
    if (answer.failure) throw new Error(`${name}, ${width} in flight: ${answer.failure}`)
    list.push(answer)
    return answer.rate
  }
  const figures = await rounds(count, { orla: run(orla.url, seen.orla), floor: run(floor.url, seen.floor) })
  const tail = (answers) => median(answers.map(({ p50, p99 }) => p99 / p50)).toFixed(1)
  return ratio({
    figure: `${name}, ${width} in flight`,
    against: floor.runs ? 'bare `node:http` that spawns it' : 'bare `node:http` echo',
    unit: 'requests/s',
    value: figures.orla,
    floor: figures.floor,
    ...(width > 1 &&
      !floor.runs && { note: `p99 is ${tail(seen.orla)}× its p50, the floor's ${tail(seen.floor)}×` }),
  })
}

function legacyRequests(session) {
  return [
    {
      name: '`tools/call`, 2025 era',
      isCall: true,
      ...legacy(session, 'tools/call', { name: TOOL, arguments: {} }),
    },
    { name: '`tools/list`, 2025 era', ...legacy(session, 'tools/list', {}) },
    { name: '`ping`, 2025 era', ...legacy(session, 'ping', {}) },
  ]
}

function modernRequests() {
  return [
    { name: '`tools/call`, 2026 era', isCall: true, ...modernCall(TOOL) },
    { name: '`tools/list`, 2026 era', ...modern('tools/list', {}) },
    { name: '`server/discover`, 2026 era', ...modern('server/discover', {}) },
  ]
}
