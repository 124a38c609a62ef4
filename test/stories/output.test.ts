import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { makeProject, NODE, ORLA, type Project } from './project.ts'

/** More than a pipe holds. */
const TOOLS = Object.fromEntries(
  Array.from({ length: 400 }, (_, index) => [
    `tools/tool-${index}`,
    `#!/bin/sh\n# ${'Ä word. '.repeat(60)}\n`,
  ]),
)

function start({ dir, env }: Project, stdout: number | 'pipe', args = ['list', '--json']) {
  return spawn(NODE, [ORLA, ...args], { cwd: dir, env, stdio: ['ignore', stdout, 'pipe'] })
}

function textOf(stream: Readable | null): Promise<string> {
  if (stream === null) throw new Error('nothing is piped')
  return text(stream)
}

describe('what a command prints', () => {
  it.runIf(existsSync('/dev/full'))('of a server ends it when there is no room for it', async () => {
    const project = makeProject(TOOLS)
    const full = openSync('/dev/full', 'w')
    const server = spawn(NODE, [ORLA, '--stdio'], {
      cwd: project.dir,
      env: project.env,
      stdio: ['pipe', full, 'pipe'],
    })
    server.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"prompts/list"}\n')
    const log = await textOf(server.stderr)
    expect(log).toContain('"cause":"client disconnected"')
    expect(log).not.toContain('recovered')
    closeSync(full)
  })

  it('arrives whole in a file, in a pipe and in a pipe that is read slowly', async () => {
    const project = makeProject(TOOLS)
    const file = openSync(join(project.dir, 'out'), 'w')
    await once(start(project, file), 'exit')
    closeSync(file)
    const whole = readFileSync(join(project.dir, 'out'), 'utf8')
    expect(JSON.parse(whole).tools).toHaveLength(400)
    expect(whole.length).toBeGreaterThan(200_000)
    const quick = start(project, 'pipe')
    expect(await textOf(quick.stdout)).toBe(whole)
    const slow = start(project, 'pipe')
    await pause(300)
    expect(await textOf(slow.stdout)).toBe(whole)
  })

  it('is no failure when its reader leaves early', async () => {
    const project = makeProject(TOOLS)
    const child = start(project, 'pipe')
    const said = textOf(child.stderr)
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect((await once(child, 'exit'))[0]).toBe(0)
    expect(await said).toBe('')
  })

  it('waits for who takes a while to read it, as a pager does', async () => {
    const project = makeProject(TOOLS)
    const whole = await textOf(start(project, 'pipe').stdout)
    const child = start(project, 'pipe')
    const ended = once(child, 'exit')
    const patience = pause(2_500).then(() => 'waits')
    expect(await Promise.race([ended, patience])).toBe('waits')
    expect(await textOf(child.stdout)).toBe(whole)
    expect(await ended).toEqual([0, null])
  })

  it('does not keep a server whose client does not read it', async () => {
    const project = makeProject({ ...TOOLS, 'orla.yaml': 'shutdown_grace: 200ms\n' })
    const server = spawn(NODE, [ORLA, '--stdio'], {
      cwd: project.dir,
      env: project.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const ended = once(server, 'exit')
    for (let id = 1; id <= 4; id++) server.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`)
    server.stdin.end()
    expect((await ended)[0]).toBe(0)
    server.stdout.destroy()
  })

  it.skipIf(process.platform !== 'linux')('is a failure when there is no room for it', async () => {
    const project = makeProject(TOOLS)
    const full = openSync('/dev/full', 'w')
    const child = start(project, full)
    const said = textOf(child.stderr)
    expect((await once(child, 'exit'))[0]).toBe(1)
    expect(await said).toMatch(/^error: cannot write the output: the disk is full\n/)
    closeSync(full)
  })
})
