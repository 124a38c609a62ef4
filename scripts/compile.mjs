// The C compiler, for what lies in native/. Whatever it finds odd is an error.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const FLAGS = ['-std=c11', '-O2', '-g0', '-Wall', '-Wextra', '-Werror', '-fstack-protector-strong']
const LINK = ['-Wl,-z,relro,-z,now']

/**
 * What lies directly in a folder of the project, as one file. True when it was built, false when there is no such
 * compiler. Throws what the compiler says.
 */
export function compile(folder, target, { compiler = process.env.CC || 'cc', flags = [] } = {}) {
  if (spawnSync(compiler, ['--version'], { stdio: 'ignore' }).status !== 0) return false
  mkdirSync(dirname(target), { recursive: true })
  const cwd = join(root, folder)
  const sources = readdirSync(cwd).filter((name) => name.endsWith('.c'))
  // A library that is there in part would crash whoever loads it.
  const part = `${target}.part`
  const words = [...FLAGS, ...LINK, ...flags, '-o', part, ...sources]
  const { status, stderr } = spawnSync(compiler, words, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${compiler} cannot compile ${folder}/:\n${stderr}`)
  renameSync(part, target)
  return true
}

/** For a script that is run by itself: SCRIPT [TARGET [FLAG...]]. `without` says how it is done where there is none. */
export function compileFromWords(script, build, { name, file, without }) {
  if (process.argv[1] !== fileURLToPath(script)) return
  const [target = join(root, 'dist', file), ...flags] = process.argv.slice(2)
  if (process.platform !== 'linux') process.stderr.write(`The ${name} is for Linux only; ${without}.\n`)
  else if (!build(resolve(target), { flags }))
    process.stderr.write(`No C compiler (cc): built without the ${name}; ${without}.\n`)
}
