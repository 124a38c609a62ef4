// Compiles native/ to dist/launcher: build-launcher.mjs [TARGET [FLAG...]]. Without a C compiler there is no launcher
// and Orla starts programs with Node; what the compiler refuses fails the build.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const native = join(root, 'native')
const FLAGS = [
  '-std=c11',
  '-O2',
  '-g0',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-fPIE',
  '-pie',
  '-fstack-protector-strong',
]
const LINK = ['-Wl,-z,relro,-z,now']

/** True when it was built, false when there is no such compiler. Throws what the compiler says. */
export function buildLauncher(target, { compiler = process.env.CC || 'cc', flags = [] } = {}) {
  if (spawnSync(compiler, ['--version'], { stdio: 'ignore' }).status !== 0) return false
  mkdirSync(dirname(target), { recursive: true })
  const sources = readdirSync(native).filter((name) => name.endsWith('.c'))
  const words = [...FLAGS, ...LINK, ...flags, '-o', target, ...sources]
  const { status, stderr } = spawnSync(compiler, words, { cwd: native, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${compiler} cannot compile native/:\n${stderr}`)
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [target = join(root, 'dist', 'launcher'), ...flags] = process.argv.slice(2)
  if (process.platform !== 'linux') {
    process.stderr.write('The launcher is for Linux only; programs are started with Node.\n')
  } else if (!buildLauncher(resolve(target), { flags })) {
    process.stderr.write('No C compiler (cc): built without the launcher; programs are started with Node.\n')
  }
}
