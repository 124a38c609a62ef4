import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface FindLauncherOptions {
  /** `ORLA_LAUNCHER`: a path, or `off`. */
  readonly wanted?: string | undefined
  /** Where the program itself lies: a build with a compiler puts the launcher there. */
  readonly folder: string
  readonly platform?: string
  readonly arch?: string
}

/** The launcher to use, or undefined: then programs are started with Node. */
export function findLauncher({
  wanted,
  folder,
  platform = process.platform,
  arch = process.arch,
}: FindLauncherOptions): string | undefined {
  if (wanted === 'off') return undefined
  if (wanted) return isExecutable(wanted) ? wanted : undefined
  if (platform !== 'linux') return undefined
  const built = join(folder, 'launcher')
  return isExecutable(built) ? built : fromPackage(folder, `@orla/launcher-${platform}-${arch}/launcher`)
}

/** Installed by npm beside Orla where there is one for the machine. */
function fromPackage(folder: string, name: string): string | undefined {
  try {
    const path = createRequire(join(folder, 'orla.cjs')).resolve(name)
    return isExecutable(path) ? path : undefined
  } catch {
    return undefined
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
