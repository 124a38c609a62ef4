import { join } from 'node:path'
import { everyKind } from '../lib/capsule-project.mjs'
import { start, stop } from '../lib/children.mjs'
import { openLoad } from '../lib/floors.mjs'
import { openSession } from '../lib/http-session.mjs'
import { legacy } from '../lib/modern.mjs'
import { openHttp, openStdio } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds, timeEach } from '../lib/rounds.mjs'
import { connect } from '../lib/rpc.mjs'

export const title = 'Against another server'
const OURS = ['script', 'binary', 'warm']
const ANY = 'the other server'

/** The same requests to Orla and to another MCP server, in turns. Both are spoken to as in 2025, which all know. */
export async function measure({ scratch, quick, against, tool, ours, input }) {
  const project = everyKind(scratch)
  const plan = {
    quick,
    theirs: { name: tool, arguments: input },
    ours: { name: ours ?? (OURS.includes(tool) ? tool : 'binary'), arguments: {} },
  }
  if (!/^https?:/.test(against)) return overStdio(scratch, project, against, plan)
  return overHttp(scratch, project, against, plan)
}

async function overStdio(scratch, project, command, { quick, theirs, ours }) {
  const orla = openStdio(scratch, project)
  const words = command.replaceAll('{project}', project).replaceAll('{tools}', join(project, 'tools'))
  const child = start('sh', ['-c', `exec ${words}`], { stdio: ['pipe', 'pipe', 'ignore'] })
  const other = connect(child)
  await Promise.all([orla.initialize(), other.initialize()])
  await Promise.all([check(orla, ours), check(other, theirs)])
  const call = (server, params) => () => server.ask('tools/call', params)
  const rows = []
  for (const [figure, width, count, work] of [
    ['call', 1, 32, [call(orla, ours), call(other, theirs)]],
    ['call', 8, 64, [call(orla, ours), call(other, theirs)]],
    ['`tools/list`', 1, 32, [() => orla.ask('tools/list', {}), () => other.ask('tools/list', {})]],
    ['`ping`', 32, 256, [() => orla.ask('ping'), () => other.ask('ping')]],
  ]) {
    const figures = await rounds(quick ? 4 : 25, {
      orla: () => timeEach(count, width, work[0]),
      other: () => timeEach(count, width, work[1]),
    })
    rows.push(
      ratio({
        figure: `${named(figure, ours, theirs)} over stdio, ${inFlight(width)}`,
        against: ANY,
        unit: 'ms',
        value: figures.orla,
        floor: figures.other,
        most: 1,
      }),
    )
  }
  await Promise.all([orla.stop(), stop(child)])
  return rows
}

async function overHttp(scratch, project, url, { quick, theirs, ours }) {
  const orla = await openHttp(scratch, project)
  const sessions = { orla: await openSession(orla.url), other: await openSession(url) }
  const load = openLoad()
  const rows = []
  for (const [figure, method, mine, other] of [
    ['call', 'tools/call', ours, theirs],
    ['`tools/list`', 'tools/list', {}, {}],
  ]) {
    for (const width of [1, 32]) {
      const run = (target, session, params) => async () => {
        const job = { url: target, ...legacy(session, method, params), width, ms: quick ? 120 : 300 }
        const { rate, failure } = await load.run(job)
        if (failure) throw new Error(`${method} to ${target}: ${failure}`)
        return rate
      }
      const figures = await rounds(quick ? 3 : 12, {
        orla: run(orla.url, sessions.orla, mine),
        other: run(url, sessions.other, other),
      })
      rows.push(
        ratio({
          figure: `${named(figure, ours, theirs)} over HTTP, ${inFlight(width)}`,
          against: ANY,
          unit: 'requests/s',
          value: figures.orla,
          floor: figures.other,
          least: 1,
        }),
      )
    }
  }
  await Promise.all([orla.stop(), load.stop()])
  return rows
}

async function check(server, params) {
  const { result } = await server.ask('tools/call', params)
  if (result.isError) throw new Error(`${params.name} failed: ${JSON.stringify(result.content)}`)
}

function named(figure, ours, theirs) {
  return figure === 'call' ? `call of \`${ours.name}\` (theirs: \`${theirs.name}\`)` : figure
}

function inFlight(width) {
  return width === 1 ? 'serial' : `${width} in flight`
}
