import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { createNodeStarter } from '../../platform/index.ts'
import { guardStarts } from './guarded-starter.ts'

it('Q89: a process that stays does not start, or start again, from files that changed', async () => {
  const folder = mkdtempSync(`${tmpdir()}/orla-guarded-`)
  const starter = createNodeStarter()
  onTestFinished(async () => {
    await starter.close()
    rmSync(folder, { recursive: true })
  })
  let difference: string | undefined
  const guarded = guardStarts(starter, (path) => (path === folder ? difference : 'another folder'))
  const request = { file: '/bin/cat', args: [], cwd: folder, env: {}, graceMs: 100 }
  const first = await guarded.open(request)
  if (!('pid' in first)) throw new Error('it did not start')
  await first.end(100, 0)
  difference = 'bin/tool changed'
  expect(await guarded.open(request)).toMatchObject({
    problem: { kind: 'other', message: 'bin/tool changed since it was installed' },
  })
})
