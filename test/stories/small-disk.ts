import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Whether this machine lets us mount a disk of our own. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'orla-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes the folder a disk of 64 KiB until the test ends. */
export function mountSmallDisk(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', [folder]))
}

/** Leaves no byte free. */
export function fillDisk(folder: string): void {
  try {
    writeFileSync(join(folder, 'filler'), Buffer.alloc(1_048_576))
  } catch {
    // As much of it as there was room for.
  }
}
