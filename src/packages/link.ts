import { join } from 'node:path'
import { effectivePermissions, isToolId } from '../formats/index.ts'
import { type Manifest, OrlaError } from '../model/index.ts'
import { isFolder, linkFolder, lookAtProgram, sweepStaging, withFolderLock } from '../platform/index.ts'
import { toolsCalledBy } from './called-tools.ts'
import { checkPackage } from './check.ts'
import type { InstallReport } from './install.ts'
import { installedVersions } from './installed.ts'
import { currentFolder, rootOf } from './layout.ts'
import { removeFromLocks } from './locks.ts'
import { nothingAt } from './pin-words.ts'
import type { Places } from './places.ts'
import { shelve } from './shelve.ts'
import { besidePackage } from './working-copy.ts'

export interface LinkOptions {
  /** Plan only. */
  readonly dryRun: boolean
  readonly warn: (message: string) => void
}

/**
 * A development folder serves from where it is. It is its owner's own: no receipt, no consent, and nothing in
 * orla.lock, because the path means something on this machine only.
 */
export async function link(path: string, places: Places, options: LinkOptions): Promise<InstallReport> {
  const { name, version, permissions, calls, mcp } = await readManifestOf(path, options)
  const { toolsDir } = places
  const root = rootOf(places, name)
  const folder = isToolId(name) ? currentFolder(places, name) : join(root, name, version)
  const there = () => installedVersions(root, name).find((one) => one.folder === folder)
  const planned = {
    name,
    version,
    action: there() === undefined ? 'install' : 'reinstall',
    from: path,
    folder,
    permissions: effectivePermissions(permissions),
    declaresPermissions: permissions !== null,
    newPermissions: [],
    runsTests: false,
    needsConsent: false,
    hooks: [],
    calls,
    callPermissions: [],
    newCallPermissions: [],
    ...(mcp.inputSchema && { inputSchema: mcp.inputSchema }),
  } as const
  if (options.dryRun) return { planned: [planned], installed: [] }
  await withFolderLock(join(toolsDir, '.orla-lock'), async () => {
    sweepStaging(root)
    const old = there()
    if (old !== undefined && !old.linked && old.receipt === undefined) {
      throw new OrlaError('E_FILE', `${folder} was put there by hand, and a link would replace it`, {
        hint: 'move it away first',
      })
    }
    const unshelve = await shelve(places, name, version, folder)
    removeFromLocks(places, (entry) => entry.name === name && entry.version === version)
    try {
      await linkFolder(root, path, folder)
    } catch (error) {
      unshelve()
      throw error
    }
  })
  const pin = { kind: 'directory', path } as const
  return { planned: [planned], installed: [{ name, version, status: 'installed', folder, pin }] }
}

async function readManifestOf(
  path: string,
  { warn }: LinkOptions,
): Promise<Manifest & { readonly calls: readonly string[] }> {
  if (lookAtProgram(path).kind === 'missing') throw nothingAt(path)
  if (!isFolder(path)) {
    throw new OrlaError('E_USAGE', `${path} is not a folder`, {
      hint: '--link serves a folder from where it is; without it, --local installs an archive',
    })
  }
  const { manifest, mcpkg, problems } = await checkPackage(path, { isLeftOut: besidePackage(path) })
  for (const { severity, message } of problems) if (severity === 'warning') warn(message)
  if (manifest !== undefined) return { ...manifest, calls: toolsCalledBy(mcpkg) }
  const lines = problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)
  throw new OrlaError('E_PACKAGE', `${path} is not a package that can be installed:\n${lines.join('\n')}`)
}
