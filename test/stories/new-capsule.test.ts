import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectHttp, type TestClient } from './clients.ts'
import { makeProject } from './project.ts'

const LANGUAGES = [
  ['python', 'bin/greet', 'bin/orla_capsule.py'],
  ['node', 'bin/greet.mjs', 'bin/orla_capsule.mjs'],
] as const

describe('orla new --capsule', () => {
  it.each(LANGUAGES)('%s: makes a package that validates', async (lang, entrypoint, helper) => {
    const project = makeProject({ 'orla.yaml': '' })
    const made = await project.orla(['new', 'greet', '--capsule', '--lang', lang, '--json'])
    const { folder, written } = JSON.parse(made.stdout) as { folder: string; written: string[] }
    expect(folder).toBe(join(project.dir, 'greet'))
    for (const file of [entrypoint, helper, 'tool.yaml', 'README.md', 'tests/greets.test.json']) {
      expect(written).toContain(join('greet', file))
      expect(existsSync(join(folder, file))).toBe(true)
    }
    const { status, stdout } = await project.orla(['validate', 'greet'])
    expect([status, stdout]).toEqual([0, 'greet 0.1.0 is a valid package.\n'])
  })

  it('is written in node unless told otherwise, and refuses what it cannot make', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const shell = await project.orla(['new', 'greet', '--capsule', '--lang', 'sh'])
    expect([shell.status, shell.stderr]).toEqual([2, expect.stringContaining('--lang python or --lang node')])
    expect(existsSync(join(project.dir, 'greet'))).toBe(false)
    const made = await project.orla(['new', 'greet', '--capsule'])
    expect([made.status, made.stdout]).toEqual([0, expect.stringContaining('greet/bin/greet.mjs')])
    expect((await project.orla(['new', 'greet', '--capsule'])).status).toBe(1)
    expect((await project.orla(['new', '../x', '--capsule'])).status).toBe(2)
  })

  it.each(LANGUAGES)('%s: every step it names works', async (lang) => {
    const project = makeProject({ 'orla.yaml': '' })
    const made = await project.orla(['new', 'greet', '--capsule', '--lang', lang])
    expect(made.stderr).toContain('orla test greet\n')
    expect((await project.orla(['test', 'greet'])).stdout).toMatch(/1 passed, 0 failed/)
    expect(made.stderr).toContain('orla install --local greet --link\n')
    expect((await project.orla(['install', '--local', 'greet', '--link'])).status).toBe(0)
    const { status, stdout } = await project.orla(['call', 'greet', '--arg', 'name=A"\\B'])
    expect([status, JSON.parse(stdout)]).toEqual([0, { greeting: 'Hello, A"\\B!' }])
    expect((await project.orla(['call', 'greet', '{}'])).status).toBe(2)
  })

  it.each(LANGUAGES)('Q75: %s: an installed one stays as it was installed', async (lang) => {
    const project = makeProject({ 'orla.yaml': '' })
    await project.orla(['new', 'greet', '--capsule', '--lang', lang])
    expect((await project.orla(['install', '--local', 'greet'])).status).toBe(0)
    const folder = join(project.dir, 'tools/greet/0.1.0')
    const before = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    const { stdout } = await project.orla(['call', 'greet', '--arg', 'name=Ada'])
    expect(JSON.parse(stdout)).toEqual({ greeting: 'Hello, Ada!' })
    expect(new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))).toEqual(before)
  })

  it.each(LANGUAGES)(
    'Q77: %s: an edit shows in the answers of a running server',
    async (lang, entrypoint) => {
      const project = makeProject({ 'orla.yaml': '' })
      await project.orla(['new', 'greet', '--capsule', '--lang', lang])
      await project.orla(['install', '--local', 'greet', '--link'])
      const client = await connectHttp('v2-modern', (await project.serve()).url)
      expect(await greeting(client)).toBe('Hello, Ada!')
      const source = join(project.dir, 'greet', entrypoint)
      writeFileSync(source, readFileSync(source, 'utf8').replace('Hello', 'Servus'))
      // Every call on the way is answered, by the old process or by the new one.
      const deadline = Date.now() + 20_000
      let heard = await greeting(client)
      while (heard === 'Hello, Ada!' && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 25))
        heard = await greeting(client)
      }
      expect(heard).toBe('Servus, Ada!')
    },
  )
})

async function greeting(client: TestClient): Promise<unknown> {
  const { structuredContent } = await client.call('greet', { name: 'Ada' })
  return (structuredContent as { greeting?: unknown } | undefined)?.greeting
}
