import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectStdio } from './clients.ts'
import { eventually, makeProject, ok, type Project } from './project.ts'

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
const TOOLS = { 'tools/echo.sh': '#!/bin/sh\necho hi\n' }
const ownEdge = !process.env.ORLA_TEST_ENV?.includes('ORLA_EDGE=sdk')

function lines(...messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
}

const OPENING = [{ id: 1, method: 'initialize', params: HELLO }, { method: 'notifications/initialized' }]
const LIST = { id: 2, method: 'tools/list' }
const CALL = { id: 3, method: 'tools/call', params: { name: 'echo', arguments: {} } }

/** Names of the parts of the program that were loaded: what V8 made of each is kept. */
function loaded({ env }: Project): string[] {
  const files = readdirSync(join(env.ORLA_HOME ?? '', 'cache/code'), { recursive: true, encoding: 'utf8' })
  return files.flatMap((file) => /([a-z-]+)-[\w-]{8}\.cjs$/.exec(file)?.[1] ?? [])
}

describe('a stdio client', () => {
  it.runIf(ownEdge)('that lists and calls never has the SDK loaded; one that asks for more has', async () => {
    const project = makeProject(TOOLS)
    ok(await project.orla(['--stdio'], { stdin: lines(...OPENING, LIST, CALL) }))
    expect(loaded(project)).toContain('serve')
    expect(loaded(project)).not.toContain('sdk-connection')
    ok(await project.orla(['--stdio'], { stdin: lines(...OPENING, { id: 4, method: 'prompts/list' }) }))
    expect(loaded(project)).toContain('sdk-connection')
  })

  it.each([
    ['a call first', [CALL, LIST]],
    ['a list first', [LIST, CALL]],
    ['no greeting', [CALL]],
  ])('that sends everything at once has all its answers, with %s', async (_name, asked) => {
    const project = makeProject(TOOLS)
    const opening = asked.length === 1 ? [] : OPENING
    const stdout = ok(await project.orla(['--stdio'], { stdin: lines(...opening, ...asked) }))
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(opening.length > 0 ? [1, 2, 3] : [3]))
    expect(answers.find(({ id }) => id === 3)).toMatchObject({
      result: { structuredContent: { stdout: 'hi\n' } },
    })
  })

  it('Q28: hears of a tool that is placed as soon as it has its first list', async () => {
    const project = makeProject(TOOLS)
    const client = await connectStdio('v1', project)
    expect((await client.list()).map(({ name }) => name)).toEqual(['echo'])
    project.write({ 'tools/late.sh': '#!/bin/sh\necho late\n' })
    await eventually(() => client.changes() > 0, 'the change')
    expect((await client.list()).map(({ name }) => name)).toEqual(['echo', 'late'])
    expect((await client.call('late')).content[0]?.text).toBe('late\n')
    await client.close()
  })
})
