import { capsuleProject } from '../lib/capsule-project.mjs'
import { openStdio } from '../lib/orla.mjs'
import { processorMs } from '../lib/process.mjs'
import { ratio, value } from '../lib/report.mjs'
import { rounds, timeEach } from '../lib/rounds.mjs'
import { median } from '../lib/stats.mjs'

export const title = 'Logging and statistics'
export const about = `Time that the server spends on a processor for a call of a warm capsule: with a record in the log and
statistics for every call, with statistics alone, and with neither; and what that is of a whole call, from the client's question
to its answer.`
const CALLS = 2_000

export async function measure({ scratch, quick }) {
  const project = capsuleProject(scratch, 'node', ['warm'])
  const figures = { both: [], counting: [], neither: [], alone: [] }
  // One server may be compiled or laid out in memory more fortunately than another: they are started several times.
  for (let start = 0; start < (quick ? 2 : 4); start++) {
    const found = await compare(scratch, project, quick)
    for (const name of Object.keys(figures)) figures[name].push(...found[name])
  }
  const row = { unit: 'µs', floor: figures.neither, most: 1.03 }
  const taken = figures.both.map((spent, round) => spent - figures.neither[round])
  return [
    value({
      figure: 'what a record and statistics take of a call that is made alone',
      unit: '%',
      value: [(median(taken) / median(figures.alone)) * 100],
      mostValue: 3,
      note: `a call that is made alone takes ${median(figures.alone).toFixed(0)} µs`,
    }),
    ratio({
      ...row,
      figure: 'processor time of a call with its record and statistics',
      against: 'the same call without (`log_level: error`, `statistics: off`)',
      value: figures.both,
    }),
    ratio({
      ...row,
      figure: 'processor time of a call with statistics alone',
      against: 'the same call without (`statistics: off`)',
      value: figures.counting,
    }),
  ]
}

async function compare(scratch, project, quick) {
  const silence = { ORLA_LOG_LEVEL: 'error' }
  const both = openStdio(scratch, project)
  const counting = openStdio(scratch, project, { env: silence })
  const neither = openStdio(scratch, project, { env: { ...silence, ORLA_STATISTICS: 'off' } })
  const single = openStdio(scratch, project)
  const servers = [both, counting, neither, single]
  for (const server of servers) {
    await server.initialize()
    await timeEach(4_000, 8, () => server.call('warm'))
  }
  const figures = await rounds(quick ? 12 : 40, {
    both: spend(both),
    counting: spend(counting),
    neither: spend(neither),
    alone: async () => (await timeEach(CALLS / 4, 1, () => single.call('warm'))) * 1_000,
  })
  await Promise.all(servers.map((server) => server.stop()))
  return figures
}

/** Of the calls of the turn before: what a server writes and counts later, while others have their turn, is in it. */
function spend(server) {
  let before = processorMs(server.pid)
  return async () => {
    const now = processorMs(server.pid)
    const spent = now - before
    before = now
    await timeEach(CALLS, 8, () => server.call('warm'))
    return (spent * 1_000) / CALLS
  }
}
