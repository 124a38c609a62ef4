import { setImmediate as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { LockEntry } from '../model/index.ts'
import { findOutdated } from './outdated.ts'

function entry(name: string): LockEntry {
  const pin = { kind: 'git', url: `https://example.org/${name}`, tag: 'v1.0.0', commit: 'c' } as const
  return { name, version: '1.0.0', pin, digest: 'd', permissions: [], definition: 'f' }
}

it('Q84: a thousand packages are not a thousand processes at once, and all are asked', async () => {
  let running = 0
  let most = 0
  const git = {
    async listTags(url: string) {
      most = Math.max(most, ++running)
      await pause()
      running--
      if (url.endsWith('/p7')) throw new Error('away')
      return [{ tag: 'v1.1.0', commit: 'c' }]
    },
  }
  const entries = Array.from({ length: 1_000 }, (_, index) => entry(`p${index}`))
  const { outdated, unasked } = await findOutdated(entries, git, () => undefined)
  expect(most).toBeLessThanOrEqual(8)
  expect(outdated).toHaveLength(999)
  expect(unasked).toEqual([{ name: 'p7', reason: 'away' }])
})
