import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { writeFiles } from './files.ts'

/** A real git repository in a temporary folder. */
export interface Repository {
  readonly dir: string
  write(files: Readonly<Record<string, string>>): void
  /** Commits everything and, if asked, tags it. Returns the commit. */
  commit(tag?: string): string
  git(...args: string[]): string
}

export function makeRepository(files: Readonly<Record<string, string>> = {}): Repository {
  const dir = mkdtempSync(join(tmpdir(), 'orla-repo-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'init.defaultBranch=main', ...args],
      {
        cwd: dir,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    ).trim()
  const repository: Repository = {
    dir,
    git,
    write: (more) => writeFiles(dir, more),
    commit(tag) {
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '-m', tag ?? 'change')
      if (tag !== undefined) git('tag', '-f', tag)
      return git('rev-parse', 'HEAD')
    },
  }
  git('init', '-q')
  repository.write(files)
  return repository
}

/** The files of a small package; `extra` lines are appended to its manifest. */
export function packageFiles(name: string, version: string, extra = ''): Record<string, string> {
  return {
    'tool.yaml': `name: ${name}\nversion: ${version}\ndescription: Says ${name}\nentrypoint: bin/${name}\n${extra}`,
    [`bin/${name}`]: `#!/bin/sh\necho "${name} ${version}"\n`,
  }
}

/** A repository with one commit and tag for each version. */
export function makeToolRepository(name: string, versions: readonly string[], extra = ''): Repository {
  const repository = makeRepository()
  for (const version of versions) {
    repository.write(packageFiles(name, version, extra))
    repository.commit(`v${version}`)
  }
  return repository
}

/** A registry that names these repositories. */
export function makeRegistry(tools: Readonly<Record<string, string | Repository>>): Repository {
  const repository = makeRepository()
  listTools(repository, tools)
  return repository
}

export function listTools(registry: Repository, tools: Readonly<Record<string, string | Repository>>): void {
  const entries = Object.entries(tools).map(
    ([name, where]) =>
      `  - name: ${name}\n    description: The ${name} tool\n    repository: ${typeof where === 'string' ? where : where.dir}\n    keywords: [${name}, sample]\n`,
  )
  registry.write({
    'registry.yaml': `version: 1\nregistry_url: ${registry.dir}\ntools:\n${entries.join('')}`,
  })
  registry.commit()
}

/** The configuration line that makes it the only registry. */
export function registriesYaml(...registries: readonly [string, Repository][]): string {
  return `registries:\n${registries.map(([name, { dir }]) => `  - {name: ${name}, url: "${dir}"}\n`).join('')}`
}
