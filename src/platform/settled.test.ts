import { appendFileSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isSettled } from './settled.ts'

describe('a file is settled', () => {
  it('after a twentieth of a second, where its clock is fine', () => {
    expect(isSettled(5_000.5, 5_050)).toBe(false)
    expect(isSettled(5_000.5, 5_051)).toBe(true)
  })

  it('after two seconds, where its clock may be coarse', () => {
    expect(isSettled(4_000, 6_000)).toBe(false)
    expect(isSettled(4_000, 6_001)).toBe(true)
  })

  it('not as long as it bears a time to come', () => {
    expect(isSettled(9_000.5, 5_000)).toBe(false)
  })

  it('and whatever is written then shows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'settled-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'file')
    for (let time = 0; time < 5; time++) {
      writeFileSync(file, 'text')
      while (!isSettled(lstatSync(file).ctimeMs, Date.now())) await pause(5)
      const before = lstatSync(file).ctimeMs
      appendFileSync(file, '')
      writeFileSync(file, 'next')
      expect(lstatSync(file).ctimeMs).toBeGreaterThan(before)
    }
  })
})
