import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStdio, timeOrla } from '../lib/orla.mjs'
import { ratio, value } from '../lib/report.mjs'
import { rounds, timeEach } from '../lib/rounds.mjs'
import { writeTool } from '../lib/scratch.mjs'

export const title = 'Sandbox'
export const about =
  'Serial calls of installed packages over stdio, each against the same package with `sandbox: off`. Interpreters are not started ahead, so that a plain spawn is compared with a held one.'

const TIERS = { bwrap: { ORLA_SANDBOX_TIER: 'bwrap' }, landlock: { ORLA_SANDBOX_TIER: 'landlock' } }
const PLAIN = { ORLA_SANDBOX: 'off' }
const PROGRAMS = {
  shell: '#!/bin/sh\necho ok\n',
  python: '#!/usr/bin/env python3\nprint("ok")\n',
  node: '#!/usr/bin/env node\nconsole.log("ok")\n',
}
const CAPSULE = `#!/usr/bin/env node
const { createInterface } = require('node:readline')
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
createInterface({ input: process.stdin }).on('line', (line) => send({ id: JSON.parse(line).id, result: 'ok' }))
send({ method: 'orla.hello', params: { name: 'warm', version: '1.0.0' } })
`
const WORDS = { shell: 'a shell script', python: 'a Python script', node: 'a Node script' }

/** What holding a package back costs, tier by tier. */
export async function measure({ scratch, quick }) {
  const project = await makeProject(scratch)
  const count = quick ? 3 : 12
  const plain = await open(scratch, project, PLAIN)
  const rows = []
  for (const [tier, env] of Object.entries(TIERS)) {
    const held = await open(scratch, project, env)
    const backend = await backendOf(held)
    if (backend === tier) rows.push(...(await inTier(tier, held, plain, count)))
    else rows.push(value({ figure: `${tier} does not work here`, unit: '', value: [0] }))
    await held.stop()
  }
  await plain.stop()
  rows.push(await loose(scratch, project, quick))
  return rows
}

async function inTier(tier, held, plain, count) {
  const rows = []
  for (const [tool, what] of Object.entries(WORDS)) {
    const figures = await rounds(count, {
      held: () => timeEach(4, 1, () => held.call(tool)),
      plain: () => timeEach(4, 1, () => plain.call(tool)),
    })
    rows.push(row(`call of ${what} in ${tier}`, figures))
  }
  const figures = await rounds(count, {
    held: () => timeEach(100, 1, () => held.call('warm')),
    plain: () => timeEach(100, 1, () => plain.call('warm')),
  })
  rows.push(row(`call of a capsule in ${tier}`, figures))
  return rows
}

/** A tool of the operator must not feel that there is a sandbox for others. */
async function loose(scratch, project, quick) {
  // Both begin at the same time and are as well worn in: a server that has answered much is faster than a new one.
  const [held, plain] = [await open(scratch, project, {}), await open(scratch, project, PLAIN)]
  const call = (server, times) => timeEach(times, 1, () => server.call('loose'))
  for (const server of [held, plain]) await call(server, quick ? 50 : 500)
  const figures = await rounds(quick ? 3 : 25, { held: () => call(held, 40), plain: () => call(plain, 40) })
  await Promise.all([held.stop(), plain.stop()])
  return { ...row('call of a loose tool, `sandbox: auto`', figures), most: 1.1 }
}

function row(figure, { held, plain }) {
  return ratio({ figure, against: 'the same, `sandbox: off`', unit: 'ms', value: held, floor: plain })
}

async function open(scratch, project, env) {
  const server = openStdio(scratch, project, { env: { ORLA_WARM: 'off', ...env } })
  await server.initialize()
  for (const tool of [...Object.keys(PROGRAMS), 'warm', 'loose']) await server.call(tool)
  return server
}

async function backendOf({ records, call }) {
  await call('shell')
  for (let tries = 0; tries < 200; tries++) {
    const record = records().find(({ msg, tool }) => msg === 'call' && tool === 'shell')
    if (record) return record.backend
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('no record of a call')
}

async function makeProject(scratch) {
  const project = join(scratch.base, 'sandboxed')
  if (existsSync(project)) return project
  mkdirSync(join(project, 'tools'), { recursive: true })
  writeFileSync(join(project, 'orla.yaml'), '')
  writeTool(join(project, 'tools', 'loose.sh'), 'echo ok')
  for (const [name, text] of Object.entries(PROGRAMS)) {
    await install(scratch, project, name, { main: text })
  }
  await install(scratch, project, 'warm', { main: CAPSULE }, 'runtime: {mode: capsule}\n')
  return project
}

async function install(scratch, project, name, files, more = '') {
  const folder = join(scratch.base, 'sources', name)
  mkdirSync(folder, { recursive: true })
  const yaml = `name: ${name}\nversion: 1.0.0\ndescription: Says ok\nentrypoint: main\npermissions: []\n${more}`
  writeFileSync(join(folder, 'tool.yaml'), yaml)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { mode: 0o755 })
  await timeOrla(scratch, project, ['install', '--local', folder, '--yes'])
}
