import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { hasErrors, type PlacedProblem } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import { besidePackage, type CheckKit, checkMcpkg, checkPackage } from '../../packages/index.ts'
import { extractArchive, isFolder, lookAtProgram, openStaging, readArchive } from '../../platform/index.ts'
import { schemaJudges } from '../../runtime/index.ts'
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
  const kit: CheckKit = { schemas: schemaJudges, tools: () => toolsHere(world) }
  if (isFolder(path)) return validateFolder(path, { ...kit, isLeftOut: besidePackage(path) })
  if (!/\.(?:mcpkg|zip|tgz|tar\.gz)$/i.test(path) || lookAtProgram(path).kind === 'missing')
    throw new OrlaError('E_NOT_FOUND', `there is no package at ${path}`, {
      hint: 'a folder, .mcpkg, .zip, .tgz or .tar.gz can be checked',
    })
  return /\.mcpkg$/i.test(path)
    ? ((await validateInMemory(path, kit)) ?? validateUnpacked(path, kit))
    : validateUnpacked(path, kit)
}

/** Nothing of it has to lie on the disk to be judged; undefined when it is not what it is called, or too large. */
async function validateInMemory(path: string, kit: CheckKit): Promise<Validation | undefined> {
  const { paths, text } = await readArchive(path, { only: 'zip' })
  const source = text('manifest.json')
  const isOther = paths.includes('tool.yaml') || paths.includes('orla-tool.json')
  if (typeof source !== 'string' || isOther) return undefined
  let isTooLarge = false
  const read = (inner: string) => {
    const found = text(inner)
    if (found === null) isTooLarge = true
    return found ?? undefined
  }
  const { manifest, problems } = await checkMcpkg(path, source, { paths, read }, kit)
  if (isTooLarge) return undefined
  if (manifest === undefined || hasErrors(problems)) return { name: null, version: null, problems }
  return { name: manifest.toolId, version: manifest.version, problems }
}

async function validateUnpacked(path: string, kit: CheckKit): Promise<Validation> {
  const staging = openStaging(tmpdir())
  try {
    const isMcpkg = /\.mcpkg$/i.test(path)
    await extractArchive(path, staging.dir, { stripTopFolder: true, ...(isMcpkg ? { only: 'zip' } : {}) })
    const { problems, ...rest } = await validateFolder(staging.dir, kit)
    const inArchive = problems.map((problem) => ({
      ...problem,
      file: problem.file.replace(staging.dir, path),
    }))
    return { ...rest, problems: inArchive }
  } finally {
    staging.discard()
  }
}

async function validateFolder(folder: string, kit: CheckKit): Promise<Validation> {
  const { manifest, problems } = await checkPackage(folder, kit)
  return { name: manifest?.name ?? null, version: manifest?.version ?? null, problems }
}
