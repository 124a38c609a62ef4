import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually, makeProject } from './stories/project.ts'

let program = ''
beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'orla-bench-look-'))
  const { href } = new URL('../bench/lib/bundle.mjs', import.meta.url)
  // The bench is plain JavaScript, which has no types.
  const bench = (await import(href)) as { bundleProgram(name: string, dir: string): Promise<string> }
  program = await bench.bundleProgram('integrity', dir)
  return () => rmSync(dir, { recursive: true, force: true })
})

/** What the bench times, asked the same way. */
function openLooks(project: string, home: string, name: string) {
  const child = spawn(process.execPath, [program, project, home, name], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  onTestFinished(async () => {
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  })
  return async (count: number) => {
    child.stdin.write(`${count}\n`)
    return Number((await lines.next()).value)
  }
}

describe('the figure of the look before a call', () => {
  it.each([2, 8, 40])('Q89: is of the look that denies a changed package of %i files', async (count) => {
    const files: Record<string, string> = {
      'tool.yaml': 'name: many\nversion: 1.0.0\ndescription: Many files\nentrypoint: bin/run.sh\n',
      'bin/run.sh': '#!/bin/sh\necho hello\n',
    }
    for (let index = 2; index < count; index++) files[`data-${index}`] = 'x\n'
    const project = makeProject({ 'orla.yaml': '' })
    const source = join(project.dir, 'source')
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(source, path)), { recursive: true })
      writeFileSync(join(source, path), text, { mode: 0o755 })
    }
    expect((await project.orla(['install', '--local', source, '--yes'])).status).toBe(0)
    const look = openLooks(project.dir, project.env.ORLA_HOME ?? '', 'many')
    expect(await look(0)).toBe(0)
    // Once its files are old enough they are no longer read at each look, which is the state of nearly every call.
    const stamps = join(project.env.ORLA_HOME ?? '', 'cache/integrity')
    await eventually(async () => (await look(0)) === 0 && existsSync(stamps), 'a stamp')
    expect(await look(50)).toBeGreaterThan(0)
    const folder = join(project.dir, 'tools/many/1.0.0')
    const backup = join(project.dir, 'backup')
    cpSync(join(folder, 'bin/run.sh'), backup)
    appendFileSync(join(folder, 'bin/run.sh'), 'echo evil\n')
    expect(await look(0)).toBe(1)
    cpSync(backup, join(folder, 'bin/run.sh'))
    expect(await look(0)).toBe(0)
    // What the manifest does not name is watched.
    rmSync(join(folder, 'tool.yaml'))
    expect(await look(0)).toBe(1)
  })
})
