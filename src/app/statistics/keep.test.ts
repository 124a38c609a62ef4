import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { measured } from '../../../test/measurement.ts'
import { openStatistics } from '../../catalog/index.ts'
import { keepStatistics, statisticsFolder } from './keep.ts'

it('Q94: takes up what all processes wrote, and says so, while it goes on', async () => {
  const home = makeHome()
  const other = keepStatistics({ home, isOn: () => true, onProblem })
  other.heard(measured('demo'))
  await other.close()
  let done = () => {}
  const compacted = new Promise<void>((resolve) => {
    done = resolve
  })
  const keeper = keepStatistics({
    home,
    isOn: () => true,
    onProblem,
    onCompacted: () => done(),
    compactMs: 0,
  })
  keeper.heard(measured('demo'))
  await compacted
  keeper.heard(measured('demo'))
  await keeper.close()
  expect(openStatistics(statisticsFolder(home)).all()).toMatchObject([{ tool: 'demo', count: 3 }])
})

it('Q94: a store that cannot be written costs nobody a call; it is told once, and nothing heard is lost', async () => {
  const home = makeHome()
  mkdirSync(home, { recursive: true })
  writeFileSync(statisticsFolder(home), 'in the way')
  const problems: string[] = []
  const keeper = keepStatistics({ home, isOn: () => true, onProblem: (problem) => problems.push(problem) })
  for (let i = 0; i < 3; i++) {
    keeper.heard(measured('demo'))
    keeper.flush()
  }
  expect(problems).toEqual([expect.stringContaining('statistics are not kept: cannot write to')])
  rmSync(statisticsFolder(home))
  await keeper.close()
  expect(openStatistics(statisticsFolder(home)).all()).toMatchObject([{ count: 3 }])
})

it('Q94: names that no tool has are not kept, nor anything where it is off', async () => {
  const home = makeHome()
  let isOn = true
  const keeper = keepStatistics({ home, isOn: () => isOn, onProblem })
  for (let i = 0; i < 100; i++) keeper.heard({ ...measured('demo'), tool: `nobody${i}`, reason: 'not_found' })
  isOn = false
  keeper.heard(measured('demo'))
  await keeper.close()
  expect(openStatistics(statisticsFolder(home)).all()).toEqual([])
})

function onProblem(problem: string): void {
  expect.fail(problem)
}

function makeHome(): string {
  const base = mkdtempSync(join(tmpdir(), 'orla-keep-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  return join(base, 'home')
}
