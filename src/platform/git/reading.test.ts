import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeRepository, type TestRepository, testEnvironment } from '../../../test/git-kit.ts'
import { mentioning, until } from '../process/starter.contract.ts'
import { createGit } from './git.ts'
import type { GitReading } from './reading.ts'

const folder = mkdtempSync(join(tmpdir(), 'orla-reading-'))
const host = join(folder, 'host.mjs')
let repository: TestRepository
let gitDir: string

/** Asks for an object, takes nothing of the answer, and stays. */
const HOST = `
import { createGit } from ${JSON.stringify(fileURLToPath(new URL('./git.ts', import.meta.url)))}
const [repository, question] = process.argv.slice(2)
const reading = createGit({ env: process.env }).read(['cat-file', '--batch'], { doing: 'read', repository })
if (question) reading.ask(question + '\\n')
setInterval(() => {}, 1_000)
`

beforeAll(async () => {
  writeFileSync(join(folder, 'host.ts'), HOST)
  const bundle = await rolldown({ input: join(folder, 'host.ts'), platform: 'node' })
  await bundle.write({ dir: folder, entryFileNames: 'host.mjs', format: 'esm' })
  await bundle.close()
})
beforeEach(() => {
  repository = makeRepository(mkdtempSync(join(folder, 'fs-')))
  gitDir = join(repository.path, '.git')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const running = () => mentioning(`--git-dir=${gitDir}`)

function open(place = gitDir): GitReading {
  const git = createGit({ env: testEnvironment() })
  return git.read(['cat-file', '--batch'], { doing: `read ${place}`, repository: place })
}

describe('a git that reads', () => {
  it('answers one question after the other, and leaves when it is told to', async () => {
    const commit = repository.commit({ a: 'one', b: 'x'.repeat(300_000) })
    const reading = open()
    reading.ask(`${commit}:a\nnone\n`)
    expect(await reading.line()).toMatch(/^[0-9a-f]{40} blob 3$/)
    expect((await reading.bytes(4)).toString()).toBe('one\n')
    expect(await reading.line()).toBe('none missing')
    reading.ask(`${commit}:b\n`)
    expect(await reading.line()).toMatch(/ blob 300000$/)
    expect((await reading.bytes(300_000)).toString()).toBe('x'.repeat(300_000))
    reading.leave()
    await until(() => running().length === 0)
  })

  it('is left in the middle of an answer', async () => {
    const commit = repository.commit({ big: 'x'.repeat(5_000_000) })
    const reading = open()
    reading.ask(`${commit}:big\n`)
    await reading.line()
    reading.leave()
    await until(() => running().length === 0)
  })

  it('says why there is no answer', async () => {
    const missing = open(join(folder, 'nowhere'))
    missing.ask('HEAD\n')
    await expect(missing.line()).rejects.toMatchObject({
      code: 'E_GIT_DAMAGED',
      message: expect.stringContaining('not a git repository'),
    })
    const aborted = open()
    const answer = aborted.line()
    aborted.abort()
    await expect(answer).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
  })

  it.each([
    ['waits for a question', ''],
    ['is about to answer', 'HEAD:big'],
  ])('does not outlive the one who reads, killed while it %s', async (_, question) => {
    repository.commit({ big: 'x'.repeat(5_000_000) })
    const child = spawn(process.execPath, [host, gitDir, question], {
      env: testEnvironment(),
      stdio: 'ignore',
    })
    await until(() => running().length > 0)
    child.kill('SIGKILL')
    await once(child, 'close')
    await until(() => running().length === 0)
  })
})
