import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectHttp, connectStdio } from './clients.ts'
import { eventually, makeProject, NODE, ORLA } from './project.ts'
import { canMount, fillDisk, mountSmallDisk } from './small-disk.ts'

describe('the log of a server', () => {
  it('Q29, Q30: has one JSON record a call with everything about it', async () => {
    const project = makeProject({
      'tools/fail.sh': '#!/bin/sh\nprintf "x\\n{\\"level\\":\\"fatal\\"}\\n" >&2\nexit 2\n',
      'tools/ok.sh': '#!/bin/sh\necho 12345\n',
    })
    const server = await project.serve(['--port', '0', '--log-level', 'debug'])
    const client = await connectHttp('v2-modern', server.url)
    await client.call('ok')
    await client.call('fail')
    expect(await server.record(({ msg, tool }) => msg === 'call' && tool === 'ok')).toMatchObject({
      level: 'info',
      version: '0.0.0',
      success: true,
      reason: null,
      exit_code: 0,
      bytes_out: 6,
      transport: 'http',
      era: 'modern',
      duration_ms: expect.any(Number),
      bytes_in: expect.any(Number),
      request_id: expect.anything(),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect(await server.record(({ msg, tool }) => msg === 'call' && tool === 'fail')).toMatchObject({
      level: 'warn',
      success: false,
      reason: 'exit',
      exit_code: 2,
    })
    // Request timings.
    await server.record(
      ({ level, duration_ms, method }) =>
        level === 'debug' && typeof duration_ms === 'number' && method !== undefined,
    )
    expect(server.records.filter(({ level }) => level === 'none' || level === 'fatal')).toEqual([])
  })

  it('goes to log_file, and stdout stays the protocol’s', async () => {
    const project = makeProject({
      'orla.yaml': 'log_file: logs.jsonl\n',
      'tools/ok.sh': '#!/bin/sh\necho ok\n',
    })
    const client = await connectStdio('v1', project)
    await client.call('ok')
    const lines = await eventually(() => {
      const found = readFileSync(join(project.dir, 'logs.jsonl'), 'utf8').trim().split('\n')
      return found.some((line) => line.includes('"call"')) && found
    }, 'the call is logged')
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) })
    expect(lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'call')).toMatchObject({
      transport: 'stdio',
      era: 'legacy',
    })
  })

  it('leaves out what is below the level', async () => {
    const project = makeProject({
      'tools/ok.sh': '#!/bin/sh\necho ok\n',
      'tools/fail.sh': '#!/bin/sh\nexit 1\n',
    })
    const server = await project.serve(['--port', '0'], { env: { ORLA_LOG_LEVEL: 'info' } })
    const client = await connectHttp('v1', server.url)
    await client.call('fail')
    await server.record(({ msg }) => msg === 'call')
    expect(server.records.some(({ level }) => level === 'debug')).toBe(false)
  })

  it.skipIf(!canMount())(
    'Q29: comes back after the disk was full, and calls go on meanwhile (needs to mount a small disk)',
    async () => {
      const project = makeProject({ 'tools/ok.sh': '#!/bin/sh\necho ok\n', 'disk/.keep': '' })
      const disk = join(project.dir, 'disk')
      mountSmallDisk(disk)
      const log = join(disk, 'log')
      const stderr = openSync(log, 'a')
      const server = spawn(NODE, [ORLA, '--stdio'], {
        cwd: project.dir,
        env: project.env,
        stdio: ['pipe', 'pipe', stderr],
      })
      closeSync(stderr)
      const ended = once(server, 'exit')
      onTestFinished(async () => {
        server.kill('SIGKILL')
        await ended
      })
      const { stdin, stdout } = server
      if (stdin === null || stdout === null) throw new Error('nothing is piped')
      const answers = createInterface({ input: stdout })[Symbol.asyncIterator]()
      const ask = async (method: string, params: object) => {
        stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`)
        return String((await answers.next()).value)
      }
      const call = () => ask('tools/call', { name: 'ok', arguments: {} })
      const clientInfo = { name: 'story', version: '1' }
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
      fillDisk(disk)
      // More records than the rest of a page holds.
      for (let index = 0; index < 30; index++) expect(await call()).toContain('"ok\\n"')
      const full = readFileSync(log, 'utf8')
      expect(await call()).toContain('"ok\\n"')
      rmSync(join(disk, 'filler'))
      expect(await call()).toContain('"ok\\n"')
      const after = await eventually(() => {
        const text = readFileSync(log, 'utf8').slice(full.length)
        return text.includes('"msg":"call"') && text
      }, 'the log goes on')
      expect(after).toMatch(
        /^.*\{"time":"[^"]*","level":"warn","msg":"log records dropped","dropped":\d+\}\n/s,
      )
      stdin.end()
      await ended
    },
  )
})
