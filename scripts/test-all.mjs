// `npm run test:all`: the stories again on every other way through the program: without the launcher, without the
// looker, through the SDK, without warm interpreters. `npm test` runs them on the way that users get.
//   --few       only the stories that depend most on it, with everything off at once: the part that `npm test` runs
//   --no-build  on what is built already
// Other words go to vitest. Ends with one line: N passed, M failed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const FEW = ['calls', 'capsules', 'shutdown'].map((name) => `test/stories/${name}.test.ts`)
const SWITCHES = ['ORLA_LAUNCHER=off', 'ORLA_LOOKER=off', 'ORLA_EDGE=sdk', 'ORLA_WARM=off'].filter(exists)

const given = process.argv.slice(2)
const isFew = given.includes('--few')
const words = given.filter((word) => word !== '--few' && word !== '--no-build')
if (!given.includes('--no-build')) {
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' })
  if (built.status !== 0) process.exit(1)
}

const scratch = mkdtempSync(join(tmpdir(), 'orla-test-all-'))
// Words that name files take the place of ours.
const files = words.some((word) => !word.startsWith('-')) ? [] : isFew ? FEW : ['test/stories/']
const ways = isFew ? [SWITCHES.join(' ')] : [...SWITCHES, SWITCHES.join(' ')]
const counts = ways.map(runStories)
rmSync(scratch, { recursive: true, force: true })
const sum = (key) => counts.reduce((total, count) => total + count[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') === 0 ? 0 : 1)

/** A setting that is not there yet would stop every story. */
function exists(pair) {
  const name = pair.slice(0, pair.indexOf('='))
  return name !== 'ORLA_WARM' || read('docs/reference/configuration.md').includes(name)
}

function runStories(way) {
  const begun = Date.now()
  const report = join(scratch, 'report.json')
  rmSync(report, { force: true })
  console.log(`\n${way}`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(
    join(root, 'node_modules/.bin/vitest'),
    ['run', ...files, ...reporters, ...words],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ORLA_TEST_ENV: way },
    },
  )
  const { passed, failed } = countsOf(report)
  // A file that cannot be loaded has no tests that could fail, and still fails.
  const count = { passed, failed: status !== 0 && failed === 0 ? 1 : failed }
  console.log(
    `${count.failed === 0 ? 'ok' : 'FAILED'}: ${way}, ${Math.round((Date.now() - begun) / 1_000)} s`,
  )
  return count
}

function countsOf(report) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch (error) {
    console.error(`no test report: ${error.message}`)
    return { passed: 0, failed: 1 }
  }
}

function read(file) {
  return readFileSync(join(root, file), 'utf8')
}
