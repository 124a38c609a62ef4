import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { writeFiles } from '../stories/files.ts'
import type { Finished, Project } from '../stories/project.ts'

/** A place in which whatever is run leaves a mark, with a home for git to find its configuration in. */
export interface Trap {
  readonly folder: string
  /** A command that leaves the mark. */
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  /** Whether something has run since the last question. */
  sprung(): boolean
  /** Makes the command a hook. */
  plant(path: string): void
  /** What a program does that hands everything to git as it came. */
  git(...args: string[]): Promise<string>
}

export function makeTrap(config = ''): Trap {
  const folder = mkdtempSync(join(tmpdir(), 'orla-trap-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const marker = join(folder, 'ran')
  const command = join(folder, 'mark.sh')
  const script = `#!/bin/sh\necho x > ${marker}\n`
  writeFiles(folder, {
    'mark.sh': script,
    'home/.gitconfig': config.replaceAll('TRAP', folder),
  })
  const env = { HOME: join(folder, 'home') }
  return {
    folder,
    command,
    env,
    sprung() {
      const ran = existsSync(marker)
      rmSync(marker, { force: true })
      return ran
    },
    plant: (path) => writeFiles(folder, { [path]: script }),
    git: (...args) =>
      new Promise((resolve) => {
        const options = { cwd: folder, env: { ...process.env, ...env }, timeout: 10_000 }
        const child = execFile('git', args, options, (_failed, stdout) => resolve(stdout))
        child.stdin?.end()
      }),
  }
}

/** What Orla said, of an install that must fail. */
export async function refused(run: Promise<Finished>, words: RegExp): Promise<void> {
  const { status, stdout, stderr } = await run
  expect([status === 0, stdout, stderr]).toEqual([false, '', expect.stringMatching(words)])
}

/** An install that must not fail. */
export async function installs(project: Project, ...args: string[]): Promise<void> {
  const { status, stderr } = await project.orla(['install', ...args, '--yes'])
  expect([status, stderr]).toEqual([0, expect.any(String)])
}
