import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectHttp, connectStdio } from './clients.ts'
import { eventually, makeProject } from './project.ts'

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
})
