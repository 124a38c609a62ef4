import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { bundleProgram } from '../lib/bundle.mjs'
import { value } from '../lib/report.mjs'
import { quantile } from '../lib/stats.mjs'

export const title = 'Ranking'
export const about = 'Time on a processor in one process, without starting it and without reading files.'

export async function measure({ scratch, quick }) {
  const program = await bundleProgram('ranking', join(scratch.base, 'ranking'))
  const { rank, search, choose } = JSON.parse(
    execFileSync(process.execPath, [program, quick ? '5' : '60'], { encoding: 'utf8' }),
  )
  return [
    value({
      figure: 'scoring and ordering 10,000 tools, p95',
      unit: 'ms',
      value: [quantile(rank, 0.95)],
      note: `the median is ${quantile(rank, 0.5).toFixed(1)} ms`,
    }),
    value({
      figure: 'finding words among 10,000 tools, p95',
      unit: 'ms',
      value: [quantile(search, 0.95)],
      mostValue: 5,
      note: `the median is ${quantile(search, 0.5).toFixed(1)} ms`,
    }),
    value({ figure: 'choosing among three implementations at a call', unit: 'µs', value: choose }),
  ]
}
