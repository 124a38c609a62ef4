import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { canTakeDescriptors, withoutDescriptors } from '../../../test/descriptors.ts'
import { createPackageQuiet } from './package-quiet.ts'

it.skipIf(!canTakeDescriptors)(
  'what the system does not watch is tried again after a while, not at every call (needs prlimit)',
  () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const folder = mkdtempSync(join(tmpdir(), 'orla-still-'))
    writeFileSync(join(folder, 'file'), 'x')
    const quiet = createPackageQuiet(folder)
    onTestFinished(() => {
      quiet.end()
      vi.useRealTimers()
      rmSync(folder, { recursive: true })
    })
    const stamp = { paths: ['', 'file'], folders: 1, stats: [] }
    withoutDescriptors(() => expect(quiet.begin(stamp)).toBe(false))
    vi.advanceTimersByTime(30_000)
    expect(quiet.begin(stamp)).toBe(false)
    vi.advanceTimersByTime(31_000)
    expect(quiet.begin(stamp)).toBe(true)
    expect([quiet.lasts(stamp), quiet.lasts({ ...stamp }), quiet.isBroken()]).toEqual([true, false, false])
  },
)
