import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { makeProject } from '../stories/project.ts'
import { packageFiles } from '../stories/repositories.ts'

const PATTERN = '^(a+)+$'
const LONG = `${'a'.repeat(60)}!`
const SOON_MS = 10_000

describe('a pattern that tries every way there is', () => {
  it('Q42: never ends where it is tried, and is answered at once', async () => {
    const script = `new RegExp(${JSON.stringify(PATTERN)}).test(${JSON.stringify(LONG)})`
    const naive = spawnSync(process.execPath, ['-e', script], { timeout: 1_500, killSignal: 'SIGKILL' })
    expect(naive.signal).toBe('SIGKILL')
    const schema = `mcp:\n  input_schema: {type: object, properties: {word: {type: string, pattern: "${PATTERN}"}}}\n`
    const files = packageFiles('slow', '1.0.0', schema)
    const project = makeProject(
      Object.fromEntries(Object.entries(files).map(([path, text]) => [`tools/slow/${path}`, text])),
    )
    const call = (word: string) => project.orla(['call', 'slow', JSON.stringify({ word })])
    expect((await call('aaa')).status).toBe(0)
    const began = performance.now()
    const { status, stdout, stderr } = await call(LONG)
    expect(performance.now() - began).toBeLessThan(SOON_MS)
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/word/)])
  })
})
