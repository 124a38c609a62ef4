import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLIENT_KINDS, connectHttp, connectStdio, type TestClient } from './clients.ts'
import { makeProject } from './project.ts'

async function listsAndCalls(client: TestClient): Promise<void> {
  const tools = await client.list()
  expect(tools.map(({ name }) => name)).toEqual(['hello'])
  expect(tools[0]?.description).toMatch(/Says hello/)
  const answer = await client.call('hello', { name: 'Ada' })
  expect(answer.isError ?? false).toBe(false)
  expect(answer.content).toEqual([{ type: 'text', text: 'Hello, Ada!\n' }])
  expect(answer.structuredContent).toEqual({ stdout: 'Hello, Ada!\n', stderr: '', exit_code: 0 })
}

describe('a newcomer in an empty folder', () => {
  it('Q19: gets a project that works, and keeps what is already there', async () => {
    const project = makeProject()
    const first = await project.orla(['init'])
    expect(first.status).toBe(0)
    expect(first.stdout).toContain('created  tools/hello.sh')
    expect(readFileSync(join(project.dir, 'orla.yaml'), 'utf8')).toMatch(/^# yaml-language-server: \$schema=/)
    expect(existsSync(join(project.dir, '.orla/orla.schema.json'))).toBe(true)

    project.write({ 'orla.yaml': 'port: 0\n' })
    const again = await project.orla(['init'])
    expect(again.stdout).toContain('kept     orla.yaml')
    expect(readFileSync(join(project.dir, 'orla.yaml'), 'utf8')).toBe('port: 0\n')

    const called = await project.orla(['call', 'hello', '--arg', 'name=Ada', '--arg', 'shout=true'])
    expect(called).toEqual({ status: 0, stdout: 'HELLO, ADA!\n', stderr: '' })
  })

  it.each(CLIENT_KINDS)('Q32, Q33, Q62: is served over HTTP to %s', async (kind) => {
    const project = makeProject()
    await project.orla(['init'])
    const server = await project.serve()
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    await listsAndCalls(await connectHttp(kind, server.url))
    expect(await server.stop()).toEqual({ code: 0, signal: null })
  })

  it.each(CLIENT_KINDS)('Q32, Q35: is served over stdio to %s', async (kind) => {
    const project = makeProject()
    await project.orla(['init'])
    await listsAndCalls(await connectStdio(kind, project))
  })
})
