// Finds out which of our own files commands load when nothing special happens, and writes scripts/ordinary.json: each
// file is a chunk of its own for once, and the code that a command keeps tells which ones it had loaded.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildLauncher } from './build-launcher.mjs'
import { buildLooker } from './build-looker.mjs'
import { bundle, nameOf, root } from './bundle.mjs'
import { RECORD, RECORDED } from './chunks.mjs'
import { commitAll } from './commit-all.mjs'

const LOOSE = 100
const base = mkdtempSync(join(tmpdir(), 'orla-record-'))
const home = join(base, 'home')
const dist = join(base, 'dist')
const project = join(base, 'project')
try {
  await bundle(dist, chunkOf)
  if (process.platform === 'linux') {
    buildLauncher(join(dist, 'launcher'))
    buildLooker(join(dist, 'looker.node'))
  }
  makeProject()
  // The first one fills the cache, and loads what fetches.
  orla(['install', 'pack', '--yes'])
  rmSync(join(project, 'tools/pack'), { recursive: true })
  rmSync(join(home, 'cache/code'), { recursive: true })
  orla(['install', 'pack', '--yes', '--offline'])
  // What the first one found out is there for the second, but not its answer.
  for (let time = 0; time < 2; time++) {
    orla(['list'])
    rmSync(join(home, 'cache/answers'), { recursive: true, force: true })
  }
  orla(['call', 'loose-0'])
  orla(['--stdio'], conversation())
  const recorded = RECORDED.map((command) => [command, loadedBy(command)])
  writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(recorded), undefined, 2)}\n`)
} finally {
  rmSync(base, { recursive: true, force: true })
}

function orla(words, input = '') {
  const env = { ...process.env, ORLA_HOME: home }
  execFileSync(process.execPath, [join(dist, 'orla.cjs'), ...words], {
    cwd: project,
    env,
    input,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

/** A package in a registry, and some loose tools. */
function makeProject() {
  const registry = join(base, 'registry')
  const repository = join(base, 'pack')
  for (const folder of [join(project, 'tools'), registry, repository]) mkdirSync(folder, { recursive: true })
  for (let count = 0; count < LOOSE; count++) writeTool(join(project, `tools/loose-${count}.sh`))
  writeTool(join(repository, 'run.sh'))
  const manifest = 'name: pack\nversion: 1.0.0\ndescription: Says hello\nentrypoint: run.sh\n'
  writeFileSync(join(repository, 'tool.yaml'), manifest)
  commitAll(repository, 'v1.0.0')
  const entry = `{name: pack, description: Says hello, repository: ${repository}}`
  writeFileSync(join(registry, 'registry.yaml'), `version: 1\ntools:\n  - ${entry}\n`)
  commitAll(registry)
  writeFileSync(join(project, 'orla.yaml'), `registries: [{name: own, url: ${registry}}]\n`)
}

function writeTool(file) {
  writeFileSync(file, '#!/bin/sh\necho hello\n')
  chmodSync(file, 0o755)
}

/** What a client says over stdio. */
function conversation() {
  const ask = (id, method, params) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const clientInfo = { name: 'record', version: '1' }
  return [
    ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
    ask(undefined, 'notifications/initialized'),
    ask(2, 'tools/list', {}),
    ask(3, 'tools/call', { name: 'loose-0', arguments: {} }),
    '',
  ].join('\n')
}

function loadedBy(command) {
  const [version] = readdirSync(join(home, 'cache/code'))
  const loaded = readdirSync(join(home, 'cache/code', version, command))
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((file) => nameOf(join(root, 'src', file)) !== undefined)
    .filter((file) => loaded.some((name) => /^(.*)-.{8}\.cjs$/.exec(name)?.[1] === chunkOf(file)))
    .sort()
}

function chunkOf(file) {
  return file.replaceAll('/', '__').replace(/\.ts$/, '')
}
