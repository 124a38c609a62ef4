import { addedPermissions, effectivePermissions } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import { CALLS_NOTHING, checkPackage } from '../../packages/index.ts'
import { openGrants } from '../grants/book.ts'
import type { Conversation } from '../packages/context.ts'

export type AskBeforeTests = Conversation['consent']

/**
 * An archive may be anyone's, and its tests are a program that gets what it names. What it asks for is accepted
 * before anything of it runs, unless this very content was accepted already. A folder is its owner's own.
 */
export async function acceptTests(
  file: string,
  folder: string,
  home: string,
  ask: AskBeforeTests,
): Promise<void> {
  const { manifest, digest } = await checkPackage(folder)
  // What is wrong with it is told by who reads it next.
  if (manifest === undefined) return
  const { name, version } = manifest
  const accepted = openGrants(home).find({ name, digest })?.permissions ?? []
  const newPermissions = addedPermissions(accepted, manifest.permissions)
  if (newPermissions.length === 0) return
  const how = await ask({
    purpose: 'try',
    packages: [
      {
        name,
        version,
        action: 'install',
        from: file,
        folder,
        newPermissions,
        permissions: effectivePermissions(manifest.permissions),
        declaresPermissions: manifest.permissions !== null,
        hooks: [],
        runsTests: true,
        needsConsent: true,
        ...CALLS_NOTHING,
      },
    ],
  })
  if (how !== undefined) return
  throw new OrlaError('E_REFUSED', `the tests of ${name} ${version} were not run`, {
    hint: '--yes accepts what it asks for',
  })
}
