import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commitAll } from '../../scripts/commit-all.mjs'
import { nodeDoingNothing } from '../lib/floors.mjs'
import { timeOrla, timeProgram } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'
import { writeTool } from '../lib/scratch.mjs'

export const title = 'Packages'
const PACKAGES = 1_000
const TEN = Array.from({ length: 10 }, (_, index) => `pack-${index}`)
const THOUSAND = Array.from({ length: PACKAGES }, (_, index) => `pack-${String(index).padStart(4, '0')}`)

/** Installing, against what the same takes by hand with git. */
export async function measure({ scratch, quick }) {
  const count = quick ? 3 : 12
  // The first one fills the cache.
  const project = await install(scratch, 'installing', TEN)
  return [
    await fromCache(scratch, project, count),
    await tenAtOnce(scratch, project, count),
    await listing(scratch, place(scratch), '1,000 packages', count),
    await listing(
      scratch,
      await install(scratch, 'thousand-installed', THOUSAND),
      '1,000 installed packages',
      count,
    ),
  ]
}

/** A project that has these packages, from a registry of theirs. */
async function install(scratch, called, names) {
  const project = join(scratch.base, called)
  mkdirSync(join(project, 'tools'), { recursive: true })
  const registry = makeRegistry(join(scratch.base, `${called}-from`), names)
  writeFileSync(join(project, 'orla.yaml'), `registries: [{name: bench, url: ${registry}}]\n`)
  await timeOrla(scratch, project, ['install', ...names, '--yes'])
  return project
}

async function fromCache(scratch, project, count) {
  const repository = join(scratch.base, 'installing-from', 'pack-0')
  const copy = join(scratch.base, 'cloned')
  const figures = await rounds(count, {
    orla() {
      remove(project, 'pack-0')
      return timeOrla(scratch, project, ['install', 'pack-0', '--offline', '--yes'])
    },
    async floor() {
      rmSync(copy, { recursive: true, force: true })
      const clone = await timeProgram('git', [
        'clone',
        '--quiet',
        '--depth',
        '1',
        `file://${repository}`,
        copy,
      ])
      return clone + (await timeProgram(process.execPath, nodeDoingNothing))
    },
  })
  return ratio({
    figure: '`orla install` from the cache, offline',
    against: '`git clone --depth 1` + `node -e 0`',
    unit: 'ms',
    value: figures.orla,
    floor: figures.floor,
    most: 1.5,
  })
}

async function tenAtOnce(scratch, project, count) {
  const install = (names) => timeOrla(scratch, project, ['install', ...names, '--offline', '--yes'])
  const figures = await rounds(Math.ceil(count / 3), {
    orla() {
      for (const name of TEN) remove(project, name)
      return install(TEN)
    },
    async floor() {
      for (const name of TEN) remove(project, name)
      let sum = 0
      for (const name of TEN) sum += await install([name])
      return sum
    },
  })
  return ratio({
    figure: 'ten packages with one `orla install`',
    against: 'ten commands, one after another',
    unit: 'ms',
    value: figures.orla,
    floor: figures.floor,
    most: 0.5,
  })
}

/** A project in whose folder of tools packages were put by hand. */
function place(scratch) {
  const project = join(scratch.base, 'thousand-packages')
  for (const name of THOUSAND) {
    const folder = join(project, 'tools', name, '1.0.0')
    mkdirSync(folder, { recursive: true })
    writePackage(folder, name)
  }
  writeFileSync(join(project, 'orla.yaml'), '')
  return project
}

async function listing(scratch, project, what, count) {
  const figures = await rounds(count, {
    orla: () => timeOrla(scratch, project, ['list']),
    floor: () => timeProgram(process.execPath, nodeDoingNothing),
  })
  return ratio({
    figure: `\`orla list\` with ${what}`,
    against: '`node -e 0`',
    unit: 'ms',
    value: figures.orla,
    floor: figures.floor,
    most: 1.35,
  })
}

function remove(project, name) {
  rmSync(join(project, 'tools', name), { recursive: true, force: true })
}

/** A registry of packages, each a git repository with a tag. */
function makeRegistry(base, names) {
  for (const name of names) {
    const folder = join(base, name)
    mkdirSync(folder, { recursive: true })
    writePackage(folder, name)
    commitAll(folder, 'v1.0.0')
  }
  const folder = join(base, 'registry')
  mkdirSync(folder, { recursive: true })
  const tools = names.map(
    (name) => `  - {name: ${name}, description: For measuring, repository: ${join(base, name)}}`,
  )
  writeFileSync(join(folder, 'registry.yaml'), `version: 1\ntools:\n${tools.join('\n')}\n`)
  commitAll(folder)
  return folder
}

function writePackage(folder, name) {
  writeFileSync(
    join(folder, 'tool.yaml'),
    `name: ${name}\nversion: 1.0.0\ndescription: Says hello\nentrypoint: run.sh\n`,
  )
  writeTool(join(folder, 'run.sh'), 'echo hello')
}
