import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lastMove } from './last-move.ts'

const LONG_AGO = new Date(1_000_000)
const MOVED = new Date(2_000_000)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-moved-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function git(...words: readonly string[]): void {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org']
  execFileSync('git', [...who, ...words], { cwd: folder, stdio: 'ignore' })
}

it.each(['main', 'feature/one', 'release#1', 'zweig-ö', 'a+b@c'])('hears of a commit on %s', (branch) => {
  git('init', '--initial-branch', branch)
  git('commit', '--allow-empty', '--message', 'one')
  utimesSync(join(folder, '.git/HEAD'), LONG_AGO, LONG_AGO)
  utimesSync(join(folder, '.git/refs/heads', branch), MOVED, MOVED)
  expect(lastMove(folder)).toBe(MOVED.getTime())
  expect(lastMove(pathToFileURL(folder).href)).toBe(MOVED.getTime())
})

it('says nothing of what is elsewhere or no repository', () => {
  expect([folder, `${folder}/none`, 'https://example.org/x', 'file:', 'x']).toEqual(
    expect.toSatisfy((places: string[]) => places.every((place) => lastMove(place) === undefined)),
  )
})
