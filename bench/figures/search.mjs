import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { timeProgram } from '../lib/orla.mjs'
import { value } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'
import { quantile } from '../lib/stats.mjs'

export const title = 'Search'
const SPENT = fileURLToPath(new URL('../programs/spent.cjs', import.meta.url))
const WORDS = ['invoice', 'picture', 'wether', 'translation', 'archive', 'calendar']

/** From outside, a search is seen only as what ten thousand entries add to the command. */
export async function measure({ scratch, quick }) {
  const many = makeProject(scratch, 10_000)
  const few = makeProject(scratch, 10)
  let turn = 0
  const spent = { many: [], few: [] }
  const search = (name, project) => async () => {
    const env = { ...process.env, ORLA_HOME: scratch.home, NO_COLOR: '1', SPENT: join(scratch.base, 'spent') }
    const words = ['search', WORDS[turn++ % WORDS.length], '--offline']
    const ms = await timeProgram(process.execPath, ['--require', SPENT, scratch.program, ...words], {
      cwd: project,
      env,
    })
    spent[name].push(Number(readFileSync(env.SPENT, 'utf8')) / 1_000)
    return ms
  }
  const figures = await rounds(quick ? 4 : 100, { many: search('many', many), few: search('few', few) })
  const added = figures.many.map((ms, round) => ms - figures.few[round])
  return [
    value({
      figure: 'what 10,000 entries add to `orla search`, p95',
      unit: 'ms',
      value: [quantile(added, 0.95)],
      mostValue: 5,
      note: `with 10 entries the command takes ${quantile(figures.few, 0.5).toFixed(0)} ms, with 10,000 ${quantile(figures.many, 0.5).toFixed(0)} ms`,
    }),
    value({
      figure: 'the same as time on a processor, the median',
      unit: 'ms',
      value: [quantile(spent.many, 0.5) - quantile(spent.few, 0.5)],
      mostValue: 5,
      note: 'whatever else ran does not count; the threads that compile and collect beside the program do',
    }),
  ]
}

/** A project with a registry of so many entries, asked once so that its index is cached. */
function makeProject(scratch, count) {
  const registry = join(scratch.base, `registry-${count}`)
  mkdirSync(registry)
  const entries = Array.from({ length: count }, (_, index) => entryOf(index))
  writeFileSync(join(registry, 'registry.yaml'), `version: 1\ntools:\n${entries.join('\n')}\n`)
  const git = (...words) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...words], {
      cwd: registry,
      stdio: 'ignore',
    })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'content')
  const project = scratch.project(`searching-${count}`, () => {})
  writeFileSync(join(project, 'orla.yaml'), `registries: [{name: bench, url: ${registry}}]\n`)
  execFileSync(process.execPath, [scratch.program, 'search', 'weather', '--yes'], {
    cwd: project,
    env: { ...process.env, ORLA_HOME: scratch.home },
    stdio: 'ignore',
  })
  return project
}

function entryOf(index) {
  const word = ['weather', 'invoices', 'pictures', 'archives', 'calendars', 'translations'][index % 6]
  return `  - {name: tool-${index}, description: Works with ${word} of kind ${index % 97}, keywords: [${word}], repository: "file:///nowhere/${index}"}`
}
