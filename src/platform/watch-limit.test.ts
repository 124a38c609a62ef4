import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { OrlaError } from '../model/index.ts'
import { watchDirectories } from './watch.ts'

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0

// In a file of its own: the first watch of a process is the one that needs a descriptor.
it.skipIf(!hasPrlimit)(
  'says once that the system allows no more watches, and recovers (needs prlimit)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orla-limit-'))
    const errors: OrlaError[] = []
    let noticed: () => void = () => {}
    const change = new Promise<void>((resolve) => {
      noticed = resolve
    })
    const watcher = watchDirectories({ onChange: () => noticed(), onError: (error) => errors.push(error) })
    execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=512:'])
    const taken = takeAllDescriptors()
    try {
      watcher.update([folder])
      watcher.update([folder])
    } finally {
      for (const fd of taken) closeSync(fd)
    }
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

function takeAllDescriptors(): number[] {
  const taken: number[] = []
  for (;;) {
    try {
      taken.push(openSync('/dev/null', 'r'))
    } catch {
      return taken
    }
  }
}
