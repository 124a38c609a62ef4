import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { PlacedProblem } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import { checkPackage } from '../../packages/index.ts'
import { extractArchive, isFolder, lookAtProgram, openStaging } from '../../platform/index.ts'
import { loadSchemaKit } from '../../runtime/index.ts'
import type { World } from '../world.ts'
import { toolsHere } from './tools-here.ts'

export interface Validation {
  readonly name: string | null
  readonly version: string | null
  readonly problems: readonly PlacedProblem[]
}

/** A package folder, or an archive of one. */
export async function validatePackage(world: World, where: string): Promise<Validation> {
  const path = resolve(world.cwd, where)
  if (isFolder(path)) return validateFolder(path, world)
  if (!/\.(?:mcpkg|zip|tgz|tar\.gz)$/i.test(path) || lookAtProgram(path).kind === 'missing')
    throw new OrlaError('E_NOT_FOUND', `there is no package at ${path}`, {
      hint: 'a folder, .mcpkg, .zip, .tgz or .tar.gz can be checked',
    })
  const staging = openStaging(tmpdir())
  try {
    const isMcpkg = /\.mcpkg$/i.test(path)
    await extractArchive(path, staging.dir, { stripTopFolder: true, ...(isMcpkg ? { only: 'zip' } : {}) })
    const { problems, ...rest } = await validateFolder(staging.dir, world)
    const inArchive = problems.map((problem) => ({
      ...problem,
      file: problem.file.replace(staging.dir, path),
    }))
    return { ...rest, problems: inArchive }
  } finally {
    staging.discard()
  }
}

async function validateFolder(folder: string, world: World): Promise<Validation> {
  const { manifest, problems } = await checkPackage(folder, {
    schemas: loadSchemaKit,
    tools: () => toolsHere(world),
  })
  return { name: manifest?.name ?? null, version: manifest?.version ?? null, problems }
}
