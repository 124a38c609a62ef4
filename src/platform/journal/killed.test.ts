import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitUntil } from '../wait.ts'
import { compactJournals } from './compact.ts'
import { readJournals } from './reader.ts'

const base = mkdtempSync(join(tmpdir(), 'orla-killed-'))
const host = join(base, 'host.mjs')
const folder = join(base, 'statistics')
const acknowledged = join(base, 'acknowledged')

/** Writes a record, then a byte that says so, over and over; takes everything up every now and then. */
const HOST = `
import { openSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { compactJournals } from ${JSON.stringify(fileURLToPath(new URL('./compact.ts', import.meta.url)))}
import { openJournal } from ${JSON.stringify(fileURLToPath(new URL('./writer.ts', import.meta.url)))}
const [folder, file] = process.argv.slice(2)
const fd = openSync(file, 'a')
const journal = openJournal(folder)
const sumUp = async (all) => [String(all.reduce((sum, one) => sum + Number(one), 0))]
for (let i = 1; ; i++) {
  journal.append('1')
  writeSync(fd, '.')
  if (i % 40 === 0) await compactJournals(folder, sumUp, { wait: false })
  else await setImmediate()
}
`

beforeAll(async () => {
  writeFileSync(join(base, 'host.ts'), HOST)
  writeFileSync(acknowledged, '')
  const bundle = await rolldown({ input: join(base, 'host.ts'), platform: 'node' })
  await bundle.write({ file: host, format: 'esm' })
  await bundle.close()
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

it('Q94: killed at any moment, writing or taking up, nothing is lost and nothing counts twice', async () => {
  const children: ChildProcess[] = []
  try {
    let killed = 0
    for (let round = 0; round < 8; round++) {
      while (children.length < 3) children.push(start())
      const before = written()
      await waitUntil(() => (written() > before + 100 + 37 * round ? true : undefined), 20_000)
      const [victim] = children.splice(0, 1)
      if (victim === undefined) break
      const ended = once(victim, 'exit')
      victim.kill('SIGKILL')
      await ended
      killed++
      // Whoever reads meanwhile sees all that was acknowledged, and at most one more of each process.
      const least = written()
      const sum = total()
      expect(sum).toBeGreaterThanOrEqual(least)
      expect(sum).toBeLessThanOrEqual(written() + children.length + killed)
    }
    const ends = children.map((child) => once(child, 'exit'))
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(ends)
    killed += ends.length
    expect(total()).toBeGreaterThanOrEqual(written())
    expect(total()).toBeLessThanOrEqual(written() + killed)
    const sum = total()
    await compactJournals(folder, async (all) => all, { wait: true })
    expect(total()).toBe(sum)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
})

function start(): ChildProcess {
  return spawn(process.execPath, [host, folder, acknowledged], { stdio: ['ignore', 'ignore', 'inherit'] })
}

function written(): number {
  return statSync(acknowledged).size
}

function total(): number {
  return readJournals(folder).records.reduce((sum, one) => sum + Number(one), 0)
}
