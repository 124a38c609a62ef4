import { basename, dirname, join, relative, resolve } from 'node:path'
import { OrlaError } from '../../model/index.ts'
import { checkPackage } from '../../packages/index.ts'
import { hashFile, isFolder, makeFolder, packTarGz, packZip } from '../../platform/index.ts'
import { schemaJudges } from '../../runtime/index.ts'
import type { ConfigRequest } from '../config.ts'
import { signPackage } from '../signing/sign.ts'
import type { World } from '../world.ts'
import { choosePackContent } from './pack-content.ts'
import { toolsHere } from './tools-here.ts'

export interface Packed {
  readonly name: string
  readonly version: string
  readonly file: string
  readonly files: number
  readonly bytes: number
  readonly sha256: string
  readonly warnings: readonly string[]
  /** What looks like a secret, and was left out unless it was asked for. */
  readonly secrets: readonly string[]
  /** Fingerprint of the key it is signed with. */
  readonly signer: string | null
}

export interface PackRequest {
  /** Where to, instead of NAME-VERSION.mcpkg here. */
  readonly out?: string
  /** Pack what looks like a secret, too. */
  readonly includeSecrets: boolean
  /** The key of one's own to sign it with. */
  readonly key?: string
}

/** A package folder as one file: an .mcpkg, or a .tar.gz where it has a tool.yaml. The same folder, the same bytes. */
export async function packPackage(
  world: World,
  config: ConfigRequest,
  where: string,
  request: PackRequest,
): Promise<Packed> {
  const folder = resolve(world.cwd, where)
  if (!isFolder(folder)) throw new OrlaError('E_NOT_FOUND', `there is no folder ${folder}`)
  const { isLeftOut, secrets, warnings } = choosePackContent(folder, request.includeSecrets)
  const { manifest, mcpkg, paths, problems } = await checkPackage(folder, {
    schemas: schemaJudges,
    tools: () => toolsHere(world),
    isLeftOut,
  })
  const told = (severity: string) =>
    problems
      .filter((one) => one.severity === severity)
      .map(({ file, line, column, message }) => `${relative(world.cwd, file)}:${line}:${column}: ${message}`)
  if (manifest === undefined) {
    throw new OrlaError('E_PACKAGE', `${folder} cannot be packed:\n${told('error').join('\n')}`, {
      hint: '`orla validate` tells how to correct it',
    })
  }
  const { name, version } = manifest
  const file = placeOf(world, request.out, `${name}-${version}${mcpkg === undefined ? '.tar.gz' : '.mcpkg'}`)
  checkEnding(file, mcpkg !== undefined)
  const isPacked = (path: string) => /\.(?:tar\.gz|tgz)$/.test(path) && path.startsWith(`${name}-`)
  const content = paths.filter((path) => !isPacked(path) && join(folder, path) !== file)
  makeFolder(dirname(file))
  await (mcpkg === undefined ? packTarGz : packZip)(folder, content, file)
  const signer =
    request.key === undefined ? null : (await signPackage(world, config, file, request.key)).fingerprint
  const all = [...told('warning'), ...warnings]
  return { name, version, file, files: content.length, ...sizeOf(file), warnings: all, secrets, signer }
}

/** `-o` names the file, or a folder in which it gets its usual name. */
function placeOf(world: World, out: string | undefined, usual: string): string {
  if (out === undefined) return resolve(world.cwd, usual)
  const place = resolve(world.cwd, out)
  return out.endsWith('/') || isFolder(place) ? join(place, usual) : place
}

/** What an install takes it for is told by its name. */
function checkEnding(file: string, isMcpkg: boolean): void {
  const [pattern, ending] = isMcpkg ? [/\.mcpkg$/, '.mcpkg'] : [/\.(?:tar\.gz|tgz)$/, '.tar.gz']
  if (pattern.test(file)) return
  throw new OrlaError('E_USAGE', `${basename(file)} must end in ${ending}`)
}

function sizeOf(file: string): { readonly bytes: number; readonly sha256: string } {
  const { size, sha256 } = hashFile(file)
  return { bytes: size, sha256 }
}
