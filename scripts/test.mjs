// `npm test`: builds, checks types, lint, format and dead code, then runs every test on the built program.
// Ends with one line: N passed, M failed. Words behind `npm test --` go to vitest.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = (name) => join(root, 'node_modules/.bin', name)
const scratch = mkdtempSync(join(tmpdir(), 'orla-test-'))
const report = join(scratch, 'report.json')
let passed = 0
let failed = 0

const steps = [
  ['build', process.execPath, ['scripts/build.mjs']],
  ['npm start', process.execPath, ['scripts/check-start.mjs']],
  ['types', bin('tsc'), ['--noEmit']],
  ['format and lint', bin('biome'), ['ci', '--error-on-warnings', '.']],
  ['lint with types', bin('oxlint'), ['--type-aware', '--deny-warnings', 'src', 'test']],
  ['dead code', bin('knip'), []],
  // A way through the program that few users take; asked for by name, only what was named runs.
  ...(process.argv.length > 2
    ? []
    : [
        [
          'stories without launcher and edge',
          process.execPath,
          ['scripts/test-all.mjs', '--few', '--no-build'],
        ],
      ]),
]
for (const [name, command, args] of steps) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  console.log(`${status === 0 ? 'ok' : 'FAILED'}: ${name}`)
  status === 0 ? passed++ : failed++
  if (name === 'build' && status !== 0) finish()
}

const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const tests = spawnSync(bin('vitest'), ['run', ...reporters, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
try {
  const counted = JSON.parse(readFileSync(report, 'utf8'))
  passed += counted.numPassedTests
  failed += counted.numFailedTests
  // A file that cannot be loaded has no tests that could fail, and still fails.
  if (tests.status !== 0 && counted.numFailedTests === 0) failed++
} catch (error) {
  console.error(`no test report: ${error.message}`)
  failed++
}
finish()

function finish() {
  rmSync(scratch, { recursive: true, force: true })
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
