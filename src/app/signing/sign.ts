import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { formatSignature, keyFingerprint, SIGNATURE_FILE } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import { checkPackage } from '../../packages/index.ts'
import {
  extractArchive,
  lookAtProgram,
  makeFolder,
  openStaging,
  packTarGz,
  packZip,
  writeFileAtomic,
} from '../../platform/index.ts'
import type { ConfigRequest } from '../config.ts'
import type { World } from '../world.ts'
import { openKey } from './keys.ts'

export interface SignedFile {
  readonly name: string
  readonly version: string
  readonly file: string
  readonly key: string
  readonly fingerprint: string
}

/** Signs a packed package in place. It is written anew, never added to: the same content and key give the same bytes. */
export async function signPackage(
  world: World,
  request: ConfigRequest,
  where: string,
  keyName: string | undefined,
): Promise<SignedFile> {
  const file = resolve(world.cwd, where)
  const isMcpkg = /\.mcpkg$/i.test(file)
  if (!isMcpkg && !/\.(?:tar\.gz|tgz)$/i.test(file)) {
    throw new OrlaError('E_USAGE', `${where} is not a packed package`, {
      hint: '`orla pack DIR --sign` packs a folder and signs it; an .mcpkg or .tar.gz can be signed later',
    })
  }
  if (lookAtProgram(file).kind !== 'file') throw new OrlaError('E_NOT_FOUND', `there is no file ${file}`)
  const pair = openKey(world, request, keyName)
  const staging = openStaging(tmpdir())
  try {
    await extractArchive(file, staging.dir, { stripTopFolder: true, ...(isMcpkg ? { only: 'zip' } : {}) })
    const { manifest, listing, paths, problems } = await checkPackage(staging.dir)
    if (manifest === undefined) {
      const [first] = problems.filter(({ severity }) => severity === 'error')
      throw new OrlaError('E_PACKAGE', `${where} is not a package: ${first?.message ?? 'it has problems'}`, {
        hint: `\`orla validate ${where}\` shows all problems`,
      })
    }
    makeFolder(join(staging.dir, 'meta'))
    writeFileAtomic(join(staging.dir, SIGNATURE_FILE), formatSignature(listing, pair))
    const all = [...new Set([...paths, SIGNATURE_FILE])]
    await (isMcpkg ? packZip : packTarGz)(staging.dir, all, file)
    const { name, version } = manifest
    return { name, version, file, key: pair.publicKey, fingerprint: keyFingerprint(pair.publicKey) }
  } finally {
    staging.discard()
  }
}
