import { describe, expect, it } from 'vitest'
import { makeCapsule } from './capsule-kit.ts'
import { type Finished, ok } from './project.ts'

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'hostile', version: '1' },
}

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}

/** Written by hand: what nests so deeply cannot be. */
function deepCall(id: number, name: string, levels: number): string {
  const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{"deep":${deep}}}}\n`
}

function answersOf(finished: Finished): Map<unknown, Record<string, unknown>> {
  const lines = ok(finished)
    .split('\n')
    .filter((text) => text !== '')
  return new Map(lines.map((text) => [JSON.parse(text).id, JSON.parse(text)]))
}

describe.each(['own', 'sdk'])('a stdio client that is answered by: %s', (ORLA_EDGE) => {
  it('is refused what nests without end, and takes no place in a capsule with it', async () => {
    const project = makeCapsule({ runtime: ['max_concurrency: 1'] })
    const answers = answersOf(
      await project.orla(['--stdio'], {
        env: { ORLA_EDGE },
        stdin: [
          line({ id: 1, method: 'initialize', params: HELLO }),
          line({ method: 'notifications/initialized' }),
          deepCall(2, 'worker', 62),
          deepCall(3, 'worker', 5_000),
          deepCall(4, 'worker', 200_000),
          line({ id: 5, method: 'tools/call', params: { name: 'worker', arguments: { do: 'most' } } }),
          `${'['.repeat(100_000)}\n`,
        ].join(''),
      }),
    )
    const refused = { error: { code: -32600, message: 'The JSON nests deeper than 64 levels' } }
    for (const id of [2, 3, 4]) expect(answers.get(id)).toMatchObject(refused)
    expect(answers.get(5)).toMatchObject({ result: { structuredContent: { result: 1 } } })
    expect(answers.size).toBe(5)
  })
})
