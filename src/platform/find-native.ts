import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface FindNativeOptions {
  /** Where the program itself lies: a build with a compiler puts it there. */
  readonly folder: string
  readonly name: string
  readonly isUsable: (path: string) => boolean
  readonly platform: string
  readonly arch: string
}

/** A file made from native/: what was built, or what npm installed beside Orla where there is one for the machine. */
export function findNative({
  folder,
  name,
  isUsable,
  platform,
  arch,
}: FindNativeOptions): string | undefined {
  const built = join(folder, name)
  if (isUsable(built)) return built
  try {
    const installed = createRequire(join(folder, 'orla.cjs')).resolve(
      `@orla/launcher-${platform}-${arch}/${name}`,
    )
    return isUsable(installed) ? installed : undefined
  } catch {
    return undefined
  }
}
