import { execFile } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openLineFile } from './line-file.ts'
import { ownKey } from './own-key.ts'

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'orla-lines-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Another process that writes lines, or asks for the key. */
const HOST = `
import { openLineFile } from ${JSON.stringify(fileURLToPath(new URL('./line-file.ts', import.meta.url)))}
import { ownKey } from ${JSON.stringify(fileURLToPath(new URL('./own-key.ts', import.meta.url)))}
const [what, path, who] = process.argv.slice(2)
if (what === 'key') process.stdout.write(Buffer.from(ownKey(path)).toString('hex'))
else {
  const file = openLineFile(path, 1e9)
  for (let n = 0; n < 200; n++) file.append([who + ' ' + n + ' ' + 'x'.repeat(500)])
}
`
const home = mkdtempSync(join(tmpdir(), 'orla-lines-host-'))
const elsewhere = (...words: string[]) =>
  promisify(execFile)(process.execPath, [join(home, 'host.mjs'), ...words])

beforeAll(async () => {
  writeFileSync(join(home, 'host.ts'), HOST)
  const bundle = await rolldown({ input: join(home, 'host.ts'), platform: 'node' })
  await bundle.write({ file: join(home, 'host.mjs'), format: 'esm' })
  await bundle.close()
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('a file of lines', () => {
  it('Q122: keeps what several processes write at once, and only its owner may read it', async () => {
    const folder = join(scratch(), 'calls')
    await Promise.all(['a', 'b', 'c'].map((who) => elsewhere('lines', folder, who)))
    const lines = openLineFile(folder, 1e9).read()
    expect(lines).toHaveLength(600)
    expect(lines.every((line) => /^[abc] \d+ x{500}$/.test(line))).toBe(true)
    expect(statSync(join(folder, 'calls.jsonl')).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('Q122: does not grow for ever, and loses the oldest first', async () => {
    const folder = scratch()
    const file = openLineFile(folder, 1000)
    for (let n = 0; n < 500; n++) {
      file.append([`line ${n}`])
      await file.settle()
    }
    const lines = file.read()
    expect(lines.at(-1)).toBe('line 499')
    expect(lines.length).toBeGreaterThan(90)
    expect(lines.join('\n').length).toBeLessThan(2200)
    expect(readdirSync(folder).sort()).toEqual(['calls.1.jsonl', 'calls.jsonl'])
  })

  it('Q122: a line that was cut spoils no other', () => {
    const folder = scratch()
    const file = openLineFile(folder, 1e6)
    file.append(['one'])
    appendFileSync(join(folder, 'calls.jsonl'), '\n{"half')
    file.append(['two', 'three'])
    expect(file.read()).toEqual(['one', '{"half', 'two', 'three'])
  })

  it('Q122: does not write through a link', () => {
    const folder = scratch()
    writeFileSync(join(folder, 'theirs'), 'theirs')
    symlinkSync(join(folder, 'theirs'), join(folder, 'calls.jsonl'))
    expect(() => openLineFile(folder, 1e6).append(['x'])).toThrow(/cannot write/)
    expect(readFileSync(join(folder, 'theirs'), 'utf8')).toBe('theirs')
  })
})

describe('a key of this machine', () => {
  it('Q122: is made once, by whoever comes first', async () => {
    const file = join(scratch(), 'deep/key')
    const made = await Promise.all([1, 2, 3].map(() => elsewhere('key', file)))
    expect(new Set(made.map(({ stdout }) => stdout))).toEqual(
      new Set([Buffer.from(ownKey(file)).toString('hex')]),
    )
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(file, '..'))).toEqual(['key'])
  })

  it('Q122: what is no key is replaced', () => {
    const file = join(scratch(), 'key')
    writeFileSync(file, 'short', { mode: 0o666 })
    expect(ownKey(file)).toHaveLength(32)
    expect(ownKey(file)).toEqual(ownKey(file))
  })
})
