import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { connectHttp } from './clients.ts'
import { makeProject } from './project.ts'

const newer = process.env.ORLA_TEST_NODE

describe('on a newer Node', () => {
  it.skipIf(newer === undefined)(
    `the program serves and calls (ORLA_TEST_NODE names a Node 24; ${newer ?? 'not set, so skipped'})`,
    async () => {
      const node = String(newer)
      expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(/^v2[2-9]\./)
      const project = makeProject({
        'tools/ok.sh': '#!/bin/sh\n# @param n {integer}\necho "$2"\n',
        'tools/ok.tool.yaml': 'description: fine\n',
      })
      expect((await project.orla(['call', 'ok', '--arg', 'n=1'], { node })).stdout).toBe('1\n')
      const server = await project.serve(['--port', '0'], { node })
      for (const kind of ['v1', 'v2-modern'] as const) {
        const client = await connectHttp(kind, server.url)
        expect((await client.call('ok', { n: 7 })).content[0]?.text).toBe('7\n')
      }
      expect(await server.stop()).toEqual({ code: 0, signal: null })
    },
  )
})
