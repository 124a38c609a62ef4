import { capsuleProject } from '../lib/capsule-project.mjs'
import { openStdio } from '../lib/orla.mjs'
import { processorMs } from '../lib/process.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds, timeEach } from '../lib/rounds.mjs'

export const title = 'Logging'
export const about = `Time that the server spends on a processor for a call of a warm capsule, with a record for every call and
with none. Statistics do not exist yet.`
const CALLS = 2_000

export async function measure({ scratch, quick }) {
  const project = capsuleProject(scratch, 'node', ['warm'])
  const talking = openStdio(scratch, project)
  const silent = openStdio(scratch, project, { env: { ORLA_LOG_LEVEL: 'error' } })
  for (const server of [talking, silent]) {
    await server.initialize()
    await timeEach(quick ? 500 : 4_000, 8, () => server.call('warm'))
  }
  const spend = (server) => async () => {
    const before = processorMs(server.pid)
    await timeEach(CALLS, 8, () => server.call('warm'))
    return ((processorMs(server.pid) - before) * 1_000) / CALLS
  }
  const figures = await rounds(quick ? 6 : 25, { talking: spend(talking), silent: spend(silent) })
  await Promise.all([talking.stop(), silent.stop()])
  return [
    ratio({
      figure: 'processor time of a call with its record',
      against: 'the same call without (`log_level: error`)',
      unit: 'µs',
      value: figures.talking,
      floor: figures.silent,
      most: 1.03,
    }),
  ]
}
