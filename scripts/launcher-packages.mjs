// Lays out the launcher and the looker as optional npm packages, one for each machine there is a compiler for:
// launcher-packages.mjs [FOLDER]. A user without a compiler gets them with `npm install`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildLauncher } from './build-launcher.mjs'
import { buildLooker } from './build-looker.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = resolve(process.argv[2] ?? join(root, 'packages'))

/** Node's name for the machine, and the compilers that may build for it, the first one that is there. */
const MACHINES = [
  { cpu: 'x64', compilers: ['x86_64-linux-gnu-gcc', ...native('x64')] },
  { cpu: 'arm64', compilers: ['aarch64-linux-gnu-gcc', ...native('arm64')] },
]

for (const { cpu, compilers } of MACHINES) {
  const name = `launcher-linux-${cpu}`
  const place = join(folder, name)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  // Static, so that it runs whatever C library the host has. What is loaded into Node uses what is there.
  const build = (compiler) =>
    buildLauncher(join(place, 'launcher'), { compiler, flags: ['-static', '-no-pie', '-s'] }) &&
    buildLooker(join(place, 'looker.node'), { compiler, flags: ['-s'], cpu })
  if (!compilers.some(build)) {
    rmSync(place, { recursive: true })
    process.stderr.write(`${name}: left out, no compiler for it (${compilers.join(', ')})\n`)
    continue
  }
  const manifest = {
    name: `@orla/${name}`,
    version,
    description: `The process launcher and the looker of Orla for Linux on ${cpu}`,
    license,
    os: ['linux'],
    cpu: [cpu],
    files: ['launcher', 'looker.node'],
    preferUnplugged: true,
  }
  writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(
    join(place, 'README.md'),
    `# @orla/${name}\n\nA small program that starts tools for Orla, and a library that looks at many files at once. They are installed with\n\`orla\` and not used alone.\n`,
  )
  process.stdout.write(`${place}\n`)
}

function native(cpu) {
  return process.arch === cpu ? ['cc'] : []
}
