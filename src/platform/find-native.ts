import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface FindNativeOptions {
  /** Where the program itself lies: a build with a compiler puts it there. */
  readonly folder: string
  readonly name: string
  /** What it is for. */
  readonly use: FileUse
  readonly platform: string
  readonly arch: string
}

export type FileUse = 'run' | 'load'

/** A file made from native/: what was built, or what npm installed beside Orla where there is one for the machine. */
export function findNative({ folder, name, use, platform, arch }: FindNativeOptions): string | undefined {
  const built = join(folder, name)
  if (isFileTo(use, built)) return built
  try {
    const require = createRequire(join(folder, 'orla.cjs'))
    const installed = require.resolve(`@orla/launcher-${platform}-${arch}/${name}`)
    return isFileTo(use, installed) ? installed : undefined
  } catch {
    return undefined
  }
}

export function isFileTo(use: FileUse, path: string): boolean {
  try {
    // An error that nobody reads takes longer to make than all of this.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
    accessSync(path, use === 'run' ? constants.X_OK : constants.R_OK)
    return true
  } catch {
    return false
  }
}
