import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTaskGroup } from './task-group.ts'

it('Q91: groups that a killed Orla left are swept, those of a living one are not', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'orla-groups-'))
  const [old, young, living, others] = [
    'orla-999999999-1',
    'orla-999999998-1',
    `orla-${process.ppid}-1`,
    'user.slice',
  ]
  for (const name of [old, young, living, others]) mkdirSync(join(parent, name as string))
  // As after a reboot, or in containers where it always has the same number.
  mkdirSync(join(parent, `orla-${process.pid}-1`))
  const anHourAgo = Date.now() / 1000 - 3600
  for (const name of [old, living, others]) utimesSync(join(parent, name as string), anHourAgo, anHourAgo)
  const group = makeTaskGroup(parent, 7)
  const left = [old, young, living, others].filter((name) => existsSync(join(parent, name as string)))
  expect(left).toEqual([young, living, others])
  const folder = join(group.procs, '..')
  expect(readFileSync(join(folder, 'pids.max'), 'utf8')).toBe('7')
  rmSync(join(folder, 'pids.max'))
  await group.close()
  expect(existsSync(folder)).toBe(false)
  // Closing twice, or after somebody else removed it, does no harm.
  await group.close()
  rmSync(parent, { recursive: true })
})

it('Q91: where no limit can be set no group stays', () => {
  const parent = join(mkdtempSync(join(tmpdir(), 'orla-groups-')), 'file')
  writeFileSync(parent, '')
  expect(() => makeTaskGroup(parent, 7)).toThrow('ENOTDIR')
})
