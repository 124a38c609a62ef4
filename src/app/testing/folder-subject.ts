import { join } from 'node:path'
import { chooseFor, toolOfMcpkg } from '../../catalog/index.ts'
import {
  type McpkgHost,
  type PackagePlace,
  packageCapsule,
  packageTools,
  parseShebang,
} from '../../formats/index.ts'
import { type Manifest, type McpkgManifest, OrlaError } from '../../model/index.ts'
import { besidePackage, checkPackage } from '../../packages/index.ts'
import { lookAtProgram } from '../../platform/index.ts'
import { schemaJudges } from '../../runtime/index.ts'
import type { OneOff } from '../one-off.ts'
import { testsOf } from '../package-files.ts'
import type { TestSubject } from './subject.ts'

/** A package of any format, on which nothing but its own folder has a say. */
export async function folderSubject(folder: string, runtime: OneOff, host: McpkgHost): Promise<TestSubject> {
  const { manifest, mcpkg, problems } = await checkPackage(folder, {
    schemas: schemaJudges,
    isLeftOut: besidePackage(folder),
  })
  if (mcpkg !== undefined) return mcpkgSubject(folder, mcpkg, host)
  if (manifest !== undefined) return packageSubject(folder, manifest, runtime)
  const errors = problems.filter(({ severity }) => severity === 'error')
  throw new OrlaError(
    'E_PACKAGE',
    `${folder} is not a package that can be tested:\n${errors.map(({ message }) => message).join('\n')}`,
    { hint: '`orla validate` tells where' },
  )
}

function mcpkgSubject(folder: string, mcpkg: McpkgManifest, host: McpkgHost): TestSubject {
  const found = toolOfMcpkg(chooseFor(mcpkg, host), { path: folder, scope: 'project', digest: folder })
  const base = { name: mcpkg.toolId, folder, testFiles: mcpkg.tests.map((path) => join(folder, path)) }
  if ('problem' in found) return { ...base, tools: [], problem: found.problem.message }
  return { ...base, tools: [found.tool] }
}

async function packageSubject(folder: string, manifest: Manifest, runtime: OneOff): Promise<TestSubject> {
  const program = lookAtProgram(join(folder, manifest.entrypoint))
  const place: PackagePlace = {
    folder,
    scope: 'project',
    cwd: folder,
    shebang: program.kind === 'file' ? parseShebang(program.firstLine) : null,
    digest: folder,
    editable: false,
  }
  const testFiles = await testsOf(folder)
  // An MCP server has to be asked what it offers, which is not worth starting it for nothing.
  const isServer = manifest.runtime.handshake === 'mcp' && testFiles.length > 0
  const offered = isServer ? await runtime.offered(packageCapsule(manifest, place)) : []
  return {
    name: manifest.name,
    tools: packageTools(manifest, place, () => offered),
    folder,
    testFiles,
  }
}
