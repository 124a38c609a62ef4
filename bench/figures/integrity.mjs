import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { rawSpawn } from '../lib/floors.mjs'
import { openStdio, timeOrla } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds, timeEach } from '../lib/rounds.mjs'
import { writeTool } from '../lib/scratch.mjs'

export const title = 'Integrity'
export const about = `What looking at the files of an installed package adds to each call of it. A package that was placed by hand
is not looked at; otherwise both are the same.`
/** Files that changed this lately are read before each call, which is not what is measured. */
const SETTLED_MS = 2_500

export async function measure({ scratch, quick }) {
  const project = join(scratch.base, 'integrity')
  const source = writePackage(join(scratch.base, 'integrity-source'), 'installed')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'orla.yaml'), '')
  writePackage(join(project, 'tools', 'placed', '1.0.0'), 'placed')
  await timeOrla(scratch, project, ['install', '--local', source, '--yes'])
  await pause(SETTLED_MS)
  const orla = openStdio(scratch, project)
  await orla.initialize()
  const call = (name) => () => timeEach(32, 1, () => orla.call(name))
  const figures = await rounds(quick ? 8 : 40, { installed: call('installed'), placed: call('placed') })
  await orla.stop()
  return [
    ratio({
      figure: 'call of an installed package, a `#!/bin/sh` tool',
      against: 'the same package placed by hand',
      unit: 'ms',
      value: figures.installed,
      floor: figures.placed,
    }),
    await looking(project, quick),
  ]
}

/**
 * What the system takes for as many looks at files. It is the bench that makes them, not Orla, so this has no budget:
 * whatever Orla did, it would be met.
 */
async function looking(project, quick) {
  const folder = join(project, 'tools', 'installed', '1.0.0')
  const paths = ['', '/bin', '/tool.yaml', '/bin/run.sh'].map((path) => folder + path)
  const before = paths.map((path) => lstatSync(path))
  const look = () => paths.every((path, index) => isSame(lstatSync(path), before[index]))
  const figures = await rounds(quick ? 8 : 40, {
    look: () => timeEach(2_000, 1, look),
    spawn: () => timeEach(16, 1, () => rawSpawn(paths[3])),
  })
  return ratio({
    figure: 'as many `lstat` as the look before a call makes',
    against: 'Node `spawn` of its program',
    unit: 'ms',
    value: figures.look,
    floor: figures.spawn,
  })
}

function isSame(now, before) {
  return ['ino', 'size', 'mode', 'mtimeMs', 'ctimeMs'].every((field) => now[field] === before[field])
}

function writePackage(folder, name) {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const manifest = `name: ${name}\nversion: 1.0.0\ndescription: Says hello\nentrypoint: bin/run.sh\n`
  writeFileSync(join(folder, 'tool.yaml'), manifest)
  writeTool(join(folder, 'bin/run.sh'), 'echo hello')
  return folder
}
