import { join } from 'node:path'
import type { FoundPackage } from '../../catalog/index.ts'
import { installedVersions } from '../../packages/index.ts'
import { listFolder } from '../../platform/index.ts'
import type { LoadedConfig } from '../config.ts'
import { findPackages } from '../packages/found.ts'

export type PresentPackage = Pick<FoundPackage, 'manifest' | 'folder' | 'scope'>

/** Every package that is there, also those nobody can read any more because someone changed or removed their manifest. */
export async function allInstalled(loaded: LoadedConfig): Promise<PresentPackage[]> {
  const found = await findPackages(loaded)
  const { config, home, root } = loaded
  const shared = join(home, 'tools')
  const places = [
    { scope: 'project', root: config.toolsDir, names: namesIn(config.toolsDir) },
    { scope: 'project', root: join(root, '.mcp'), names: namesIn(join(root, '.mcp/tools')) },
    ...(config.globalTools && shared !== config.toolsDir
      ? [{ scope: 'global', root: shared, names: namesIn(shared) } as const]
      : []),
  ] as const
  const unreadable = places.flatMap((place) =>
    place.names
      .flatMap((name) => installedVersions(place.root, name))
      .flatMap(({ folder, receipt }): PresentPackage[] =>
        receipt === undefined || found.some((one) => one.folder === folder)
          ? []
          : [{ manifest: receipt.manifest, folder, scope: place.scope }],
      ),
  )
  return [...found, ...unreadable]
}

function namesIn(folder: string): string[] {
  return listFolder(folder).filter((name) => !name.startsWith('.'))
}
