import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openWorker, rawSpawn } from '../lib/floors.mjs'
import { openStdio } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds, time, timeEach } from '../lib/rounds.mjs'

export const title = 'Scripts of Python and Node'
export const about = `Called one after the other with a pause before each, in which an interpreter that is started ahead gets
ready; and without a pause, when the machine has to start as many as it serves.`
const SCRIPTS = {
  python: {
    what: 'a Python script',
    file: 'python.py',
    lines: ['import json, sys', 'print(sys.stdin.read())'],
  },
  common: {
    what: 'a Node script (CommonJS)',
    file: 'common.cjs',
    lines: ["process.stdin.on('data', (bytes) => console.log(String(bytes)))"],
  },
  module: {
    what: 'a Node script (ES module)',
    file: 'module.mjs',
    lines: ["import { text } from 'node:stream/consumers'", 'console.log(await text(process.stdin))'],
  },
}
const INTERPRETERS = { py: findBinary('python3'), cjs: process.execPath, mjs: process.execPath }

/** A call of a script, against starting its interpreter for it. */
export async function measure({ scratch, quick }) {
  const project = scratch.project('scripts', (tools) => {
    for (const { file, lines } of Object.values(SCRIPTS)) writeScript(join(tools, file), lines)
  })
  const orla = openStdio(scratch, project)
  await orla.initialize()
  const rows = []
  for (const tool of Object.keys(SCRIPTS)) {
    const file = join(project, 'tools', SCRIPTS[tool].file)
    const cold = openCold(scratch, file)
    rows.push(...(await compare(quick, orla, tool, cold)))
    await cold.stop()
  }
  await orla.stop()
  return rows
}

async function compare(quick, orla, tool, cold) {
  const call = () => orla.call(tool)
  // Whoever is called for the first time has nothing ready.
  for (let first = 0; first < 3; first++) await call()
  const settleMs = Math.max(150, 5 * (await cold.measure()))
  const against = 'a cold start of the same script'
  const { what } = SCRIPTS[tool]
  // The floor waits as well: an interpreter that gets ready beside it would slow it down.
  const rested = (work) => () => pause(settleMs).then(work)
  const single = await rounds(quick ? 3 : 12, {
    orla: rested(() => time(call)),
    floor: rested(() => cold.measure()),
  })
  const many = await rounds(quick ? 2 : 6, {
    orla: () => timeEach(16, 1, call),
    floor: () => timeEach(16, 1, () => cold.measure()),
  })
  const base = { against, unit: 'ms' }
  return [
    ratio({
      ...base,
      figure: `call of ${what}, once warm`,
      value: single.orla,
      floor: single.floor,
      most: 0.3,
    }),
    ratio({ ...base, figure: `call of ${what}, without a pause`, value: many.orla, floor: many.floor }),
  ]
}

/** From C where there is a compiler: what starting a process costs Node is not the interpreter's. */
function openCold(scratch, file) {
  const spawner = scratch.compile('spawn')
  if (spawner === undefined) return { measure: () => time(() => rawSpawn(file)), stop: async () => {} }
  const worker = openWorker(spawner, [file])
  return { measure: () => worker.measure(1, 1), stop: () => worker.stop() }
}

function writeScript(file, lines) {
  const interpreter = INTERPRETERS[file.slice(file.lastIndexOf('.') + 1)]
  writeFileSync(file, `#!${interpreter}\n${lines.join('\n')}\n`, { mode: 0o755 })
}

/** The shim of a version manager is a script that takes longer than what it starts; it is not what is measured. */
function findBinary(name) {
  const found = process.env.PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file) && readFileSync(file).subarray(0, 2).toString('latin1') !== '#!')
  return found ?? `/usr/bin/env ${name}`
}
