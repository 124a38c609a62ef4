import { findNative } from './find-native.ts'

/** The native library that looks at many files at once (native/looker). */
export interface Looker {
  /** See `lookAt`. At most so many threads; 0: as many as are of use. */
  readonly lookAt: (paths: Uint8Array, into: Float64Array, threads: number) => number
}

/** The library to load, or undefined: then files are looked at with Node. */
export function lookerFile(
  folder: string,
  platform: string = process.platform,
  arch: string = process.arch,
): string | undefined {
  if (platform !== 'linux') return undefined
  return findNative({ folder, name: 'looker.node', use: 'load', platform, arch })
}

/** Throws what the system says about a file that cannot be loaded. */
export function loadLooker(file: string): Looker {
  const library: { exports: Partial<Looker> } = { exports: {} }
  process.dlopen(library, file)
  const { lookAt } = library.exports
  if (lookAt === undefined) throw new Error(`${file} is not what it should be`)
  return { lookAt }
}
