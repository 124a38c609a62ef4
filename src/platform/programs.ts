import { execFileSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/** The file behind a program name, as a shell would find it. */
export function findProgram(name: string, pathVariable: string, cwd: string): string | undefined {
  const candidates =
    isAbsolute(name) || name.includes('/')
      ? [resolve(cwd, name)]
      : pathVariable
          .split(delimiter)
          .filter(Boolean)
          .map((folder) => join(folder, name))
  return candidates.find(isExecutableFile)
}

/** The first line a program prints about its version; undefined when it does not tell. It sees `env` only. */
export function versionOf(file: string, env: Readonly<Record<string, string>>): string | undefined {
  try {
    const printed = execFileSync(file, ['--version'], {
      encoding: 'utf8',
      env,
      timeout: 5000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return printed.split('\n')[0]?.trim() || undefined
  } catch {
    return undefined
  }
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
