import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { value } from '../lib/report.mjs'
import { quantile } from '../lib/stats.mjs'

export const title = 'Ranking'
export const about = 'Time on a processor in one process, without starting it and without reading files.'

export async function measure({ scratch, quick }) {
  const program = await bundle(join(scratch.base, 'ranking'))
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

/** The program in a form that Node runs: what it imports is TypeScript. */
async function bundle(dir) {
  const input = fileURLToPath(new URL('../programs/ranking.mjs', import.meta.url))
  const built = await rolldown({ input, platform: 'node' })
  await built.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' })
  await built.close()
  return join(dir, 'ranking.mjs')
}
