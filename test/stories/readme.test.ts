import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually, makeProject, NODE, ORLA } from './project.ts'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code)

describe('README', () => {
  it('leads a newcomer to a tool that answers', async () => {
    const [run, test, ...first] = blocks
    expect([run, test]).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n'])
    const project = makeProject({ 'bin/orla': `#!/bin/sh\nexec "${NODE}" "${ORLA}" "$@"\n` })
    const serve = first.pop()
    expect(serve).toBe('orla\n')
    const env = { ...project.env, PATH: `${join(project.dir, 'bin')}:${project.env.PATH}` }
    const printed = execFileSync('sh', ['-euc', first.join('\n')], {
      cwd: project.dir,
      env,
      encoding: 'utf8',
    })
    expect(printed).toContain('Hello, Ada!\n')
    expect(printed).toMatch(/^count\s.*Counts the words/m)
    expect(printed).toMatch(/^\s*3\n$/m)
  })
})

describe('the examples', () => {
  it.each(readdirSync(join(ROOT, 'examples')))('%s serves, and every tool of it starts', async (name) => {
    const project = makeProject()
    const cwd = join(ROOT, 'examples', name)
    const listing = JSON.parse((await project.orla(['list', '--json'], { cwd })).stdout)
    expect(listing.problems).toEqual([])
    expect(listing.tools.length).toBeGreaterThan(0)
  })

  it('quickstart answers', async () => {
    const project = makeProject()
    const cwd = join(ROOT, 'examples/quickstart')
    const call = async (...args: string[]) => (await project.orla(['call', ...args], { cwd })).stdout
    expect(await call('hello', '--arg', 'name=Ada')).toBe('Hello, Ada!\n')
    expect(JSON.parse(await call('word_count', '{"text":"one two\\nthree"}'))).toEqual({
      lines: 2,
      words: 3,
      characters: 13,
    })
    expect((await call('uuid', '--arg', 'count=2')).trim().split('\n')).toHaveLength(2)
  })
})

describe('people', () => {
  it('are told in plain words what is served and how to connect', async () => {
    const project = makeProject()
    await project.orla(['init'])
    const child = spawn(NODE, [ORLA, '--port', '0', '--pretty'], { cwd: project.dir, env: project.env })
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    await eventually(() => out.includes('Ctrl-C stops it'), 'the welcome')
    expect(out).toMatch(/Orla serves 1 tool from .*tools:\n\n {2}hello {2}Says hello to someone\.\n/)
    expect(out).toMatch(/claude mcp add --transport http orla http:\/\/127\.0\.0\.1:\d+\/mcp/)
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exit).toEqual([0, null])
    expect(err).toMatch(/^\d\d:\d\d:\d\d info {2}serving/)
    expect(err).not.toContain('{')
  })
})
