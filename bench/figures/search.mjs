import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commitAll } from '../../scripts/commit-all.mjs'
import { timeProgram } from '../lib/orla.mjs'
import { value } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, quantile } from '../lib/stats.mjs'
import { chances, makeVocabulary } from '../lib/vocabulary.mjs'

export const title = 'Search'
const SPENT = fileURLToPath(new URL('../programs/spent.cjs', import.meta.url))
const ENTRIES = 10_000
const WORDS = makeVocabulary(22_000, chances(7))

/**
 * Questions of every kind. The first words of the list are in many entries, the last in few. Nobody asks for less than
 * two letters, and few for more than four words.
 */
const QUESTIONS = {
  exact: [10, 700, 6_000, 21_000].map((at) => WORDS[at]),
  beginning: [WORDS[5].slice(0, 2), 'st', WORDS[900].slice(0, 3), WORDS[12_000].slice(0, 4)],
  typo: [
    swapped(WORDS[50]),
    WORDS[9_000].slice(1),
    `${WORDS[15_000]}x`,
    WORDS[18_000].replace(/[aeiou]/, 'q'),
  ],
  'several words': [
    `${WORDS[3]} ${WORDS[5_000]}`,
    `${WORDS[1]} ${WORDS[2]} ${WORDS[900]}`,
    `${WORDS[3]} ${swapped(WORDS[9_000])} ${WORDS[40]}`,
    `${WORDS[14_000]} ${WORDS[7].slice(0, 2)} ${WORDS[19]} ${WORDS[14_001]}`,
  ],
  'no hit': ['zzzzqqqq', 'qqxx', 'xyqxyqxyq', 'qwxqwxqwxqwxqwxqwx'],
}

/** From outside, a search is seen only as what ten thousand entries add to the command. */
export async function measure({ scratch, quick }) {
  const projects = {
    many: makeProject(scratch, 'many', ENTRIES),
    few: makeProject(scratch, 'few', 10),
    twin: makeProject(scratch, 'twin', 10),
  }
  const spent = { many: [], few: [], twin: [] }
  const added = { many: [], twin: [] }
  const kinds = []
  for (const [kind, questions] of Object.entries(QUESTIONS)) {
    const ofKind = []
    for (const question of questions) {
      const search = (name) => [name, () => timeSearch(scratch, projects[name], question, spent[name])]
      const figures = await rounds(quick ? 5 : 31, Object.fromEntries(Object.keys(projects).map(search)))
      for (const name of ['many', 'twin'])
        added[name].push(median(figures[name].map((ms, round) => ms - figures.few[round])))
      ofKind.push(added.many.at(-1))
    }
    kinds.push(`${kind} ${Math.max(...ofKind).toFixed(1)}`)
  }
  return [
    value({
      figure: 'what 10,000 entries add to `orla search`, p95',
      unit: 'ms',
      value: [quantile(added.many, 0.95)],
      mostValue: 5,
      note: `of ${added.many.length} questions about ${WORDS.length.toLocaleString('en')} different words; of each the median difference to a project with 10 entries, in turns (the most of each kind: ${kinds.join(', ')} ms). Two projects with 10 entries each differ by ${quantile(added.twin, 0.95).toFixed(1)} ms, measured in the same way: so much is noise. With 10 entries the command takes ${median(spent.few).toFixed(0)} ms on a processor`,
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

async function timeSearch(scratch, project, question, spent) {
  const env = { ...process.env, ORLA_HOME: scratch.home, NO_COLOR: '1', SPENT: join(scratch.base, 'spent') }
  const command = ['--require', SPENT, scratch.program, 'search', question, '--offline']
  const ms = await timeProgram(process.execPath, command, { cwd: project, env })
  spent.push(Number(readFileSync(env.SPENT, 'utf8')) / 1_000)
  return ms
}

/** A project with a registry of so many entries, asked once so that its index is cached. */
function makeProject(scratch, name, count) {
  const registry = join(scratch.base, `registry-${name}`)
  mkdirSync(registry)
  const chance = chances(11)
  const entries = Array.from({ length: count }, (_, index) => entryOf(index, chance))
  writeFileSync(join(registry, 'registry.yaml'), `version: 1\ntools:\n${entries.join('\n')}\n`)
  commitAll(registry)
  const project = scratch.project(`searching-${name}`, () => {})
  writeFileSync(join(project, 'orla.yaml'), `registries: [{name: bench, url: ${registry}}]\n`)
  execFileSync(process.execPath, [scratch.program, 'search', 'weather', '--yes'], {
    cwd: project,
    env: { ...process.env, ORLA_HOME: scratch.home },
    stdio: 'ignore',
  })
  return project
}

/** Every word of the list is in one entry at least; of the others some are in many and most in few, as in any language. */
function entryOf(index, chance) {
  const word = (at) => WORDS[at % WORDS.length]
  const any = () => WORDS[Math.floor(WORDS.length * chance() ** 3)]
  const description = [
    word(ENTRIES + index),
    word(2 * ENTRIES + index),
    ...Array.from({ length: 8 }, any),
  ].join(' ')
  return `  - {name: ${word(index)}-${any()}, description: ${description}, keywords: [${any()}, ${any()}], repository: "file:///nowhere/${index}"}`
}

/** With two letters in each other's place. */
function swapped(word) {
  return `${word.slice(0, 3)}${word[4]}${word[3]}${word.slice(5)}`
}
