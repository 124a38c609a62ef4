import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BUILT = fileURLToPath(new URL('../../dist', import.meta.url))
const COMPILER = process.env.CC ?? 'cc'

/** A folder for everything that the run writes; `remove` takes all of it away. */
export function makeScratch() {
  if (!existsSync(join(BUILT, 'orla.cjs'))) throw new Error('there is no dist/orla.cjs: npm run build')
  const base = mkdtempSync(join(tmpdir(), 'orla-bench-'))
  return {
    base,
    /** A copy: whoever builds meanwhile does not pull the program from under the run. */
    program: copyProgram(base),
    home: join(base, 'home'),
    hasCompiler: spawnSync(COMPILER, ['--version']).status === 0,
    project(name, fill) {
      const dir = join(base, name)
      if (existsSync(dir)) return dir
      mkdirSync(join(dir, 'tools'), { recursive: true })
      fill(join(dir, 'tools'))
      return dir
    },
    /** Path of the compiled C program of that name, or undefined without a compiler. */
    compile(name) {
      const source = fileURLToPath(new URL(`../programs/${name}.c`, import.meta.url))
      const target = join(base, name)
      if (existsSync(target)) return target
      return spawnSync(COMPILER, ['-O2', '-o', target, source]).status === 0 ? target : undefined
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
}

/** A tool as a script and one as a binary. */
export function twoTools(scratch) {
  return scratch.project('two', (tools) => writeTwoTools(scratch, tools))
}

export function writeTwoTools(scratch, tools) {
  writeTool(join(tools, 'script.sh'), 'echo ok')
  const binary = join(tools, 'binary')
  copyFileSync(scratch.compile('tool') ?? '/bin/true', binary)
  chmodSync(binary, 0o755)
}

export function manyTools(scratch, count) {
  return scratch.project(`many-${count}`, (tools) => {
    for (let i = 0; i < count; i++)
      writeTool(join(tools, `tool_${String(i).padStart(5, '0')}.sh`), `echo ${i}`)
  })
}

export function writeTool(file, line, about = 'Prints a line.') {
  writeFileSync(file, `#!/bin/sh\n# ${about}\n# @param [name] {string} Who is greeted\n${line}\n`, {
    mode: 0o755,
  })
}

function copyProgram(base) {
  const copy = join(base, 'program')
  cpSync(BUILT, copy, { recursive: true })
  return join(copy, 'orla.cjs')
}
