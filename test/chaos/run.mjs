// Randomised trials against the built program: kills the server, a tool or the client at a random moment and
// looks for survivors. Needs /proc.   node test/chaos/run.mjs [--trials 1000] [--seed N] [--program FILE]
// [--seconds 1800] [--parallel 3]     Exits with 1 when a trial failed; its seed and number repeat it.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createRandom } from './random.mjs'
import { planTrial, runTrial } from './trial.mjs'

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    only: { type: 'string' },
    program: { type: 'string', default: fileURLToPath(new URL('../../dist/orla.cjs', import.meta.url)) },
    seconds: { type: 'string', default: '1800' },
    parallel: { type: 'string', default: '3' },
  },
})
if (!existsSync(values.program)) throw new Error(`${values.program} is not there: build first`)

const folder = mkdtempSync(join(tmpdir(), 'chaos-'))
const place = {
  program: values.program,
  project: createProject(join(folder, 'project')),
  home: join(folder, 'home'),
  deadlineMs: 20_000,
}
const trials = values.only === undefined ? numbers(0, Number(values.trials)) : [Number(values.only)]
const begun = performance.now()
const seconds = () => (performance.now() - begun) / 1000
let done = 0
let failed = 0
let struck = 0

console.log(`seed ${values.seed}`)
try {
  await Promise.all(numbers(0, Number(values.parallel)).map(work))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${struck} of ${done} struck while tools ran, ${Math.round(seconds())} s`)
console.log(`${done - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 || done === 0 ? 1 : 0

async function work() {
  for (let trial = trials.shift(); trial !== undefined; trial = trials.shift()) {
    if (seconds() > Number(values.seconds)) return
    const random = createRandom(Number(values.seed) * 10_007 + trial)
    // Digits: `sleep 600.TAG` carries it in its command line.
    const plan = planTrial(random, `${Date.now()}${process.pid}${trial}`)
    const { wrong, running } = await runTrial(plan, place).catch((error) => ({
      wrong: [error.stack],
      running: 0,
    }))
    done++
    if (running > 0) struck++
    if (wrong.length > 0) {
      failed++
      console.log(`trial ${trial} failed: ${JSON.stringify(plan)}\n${wrong.join('\n')}`)
    } else if (done % 50 === 0) console.log(`${done} trials, ${failed} failed`)
  }
}

function createProject(project) {
  const fixtures = fileURLToPath(new URL('../fixtures/tools/', import.meta.url))
  mkdirSync(join(project, 'tools'), { recursive: true })
  for (const file of readdirSync(fixtures).filter((name) => /\.(sh|py)$/.test(name))) {
    if (!file.startsWith('words')) copyFileSync(join(fixtures, file), join(project, 'tools', file))
  }
  writeFileSync(join(project, 'orla.yaml'), 'watch: false\nshutdown_grace: 200ms\n')
  return project
}

function numbers(from, to) {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}
