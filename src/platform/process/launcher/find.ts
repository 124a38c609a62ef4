import { findNative, isFileTo } from '../../find-native.ts'

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
  if (wanted) return isFileTo('run', wanted) ? wanted : undefined
  if (platform !== 'linux') return undefined
  return findNative({ folder, name: 'launcher', use: 'run', platform, arch })
}
