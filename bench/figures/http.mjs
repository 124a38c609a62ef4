import { join } from 'node:path'
import { openHttpEcho, openLoad } from '../lib/floors.mjs'
import { openSession } from '../lib/http-session.mjs'
import { openHttp } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'
import { twoTools } from '../lib/scratch.mjs'
import { median } from '../lib/stats.mjs'

export const title = 'Requests over HTTP'
export const about = `Every call starts a process, the echo none: the second floor starts one too. The budget, at least
0.5× of the echo, is for calls to a warm capsule, and capsules do not exist yet; \`ping\` and \`server/discover\` show
the most that such a call could reach.`
const TOOL = 'binary'
const WIDTHS = [1, 32]
const MODERN = '2026-07-28'

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

const COMMON = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function legacyRequests(session) {
  const headers = { ...COMMON, ...session }
  return [
    { name: '`tools/call`, 2025 era', isCall: true, ...legacy('tools/call', { name: TOOL, arguments: {} }) },
    { name: '`tools/list`, 2025 era', ...legacy('tools/list', {}) },
    { name: '`ping`, 2025 era', ...legacy('ping', {}) },
  ]

  function legacy(method, params) {
    return { headers, body: bodyOf(method, params) }
  }
}

function modernRequests() {
  return [
    { name: '`tools/call`, 2026 era', isCall: true, ...modern('tools/call', { name: TOOL, arguments: {} }) },
    { name: '`tools/list`, 2026 era', ...modern('tools/list', {}) },
    { name: '`server/discover`, 2026 era', ...modern('server/discover', {}) },
  ]
}

function modern(method, params) {
  const prefix = 'io.modelcontextprotocol/'
  const _meta = {
    [`${prefix}protocolVersion`]: MODERN,
    [`${prefix}clientCapabilities`]: {},
    [`${prefix}clientInfo`]: { name: 'orla-bench', version: '1' },
  }
  const named = params.name === undefined ? {} : { 'mcp-name': params.name }
  const headers = { ...COMMON, 'mcp-protocol-version': MODERN, 'mcp-method': method, ...named }
  return { headers, body: bodyOf(method, { ...params, _meta }) }
}

/** What stands before the id, and what behind it. */
function bodyOf(method, params) {
  return ['{"jsonrpc":"2.0","id":', `,"method":"${method}","params":${JSON.stringify(params)}}`]
}
