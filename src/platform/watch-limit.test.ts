import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { canTakeDescriptors, withoutDescriptors } from '../../test/descriptors.ts'
import type { OrlaError } from '../model/index.ts'
import { watchDirectories } from './watch.ts'

// In a file of its own: the first watch of a process is the one that needs a descriptor.
it.skipIf(!canTakeDescriptors)(
  'says once that the system allows no more watches, and recovers (needs prlimit)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orla-limit-'))
    const errors: OrlaError[] = []
    let noticed: () => void = () => {}
    const change = new Promise<void>((resolve) => {
      noticed = resolve
    })
    const watcher = watchDirectories({ onChange: () => noticed(), onError: (error) => errors.push(error) })
    withoutDescriptors(() => {
      watcher.update([folder])
      watcher.update([folder])
    })
    expect(errors).toHaveLength(1)
    expect(errors[0]?.message).toContain('allows no more watches')
    expect(errors[0]?.hint).toContain('orla reload')
    expect(errors[0]?.hint).toContain('SIGHUP')

    watcher.update([folder])
    writeFileSync(join(folder, 'a.sh'), '')
    await change
    expect(errors).toHaveLength(1)
    watcher.close()
    rmSync(folder, { recursive: true })
  },
)
