import { createDiscovery, type FoundPackage } from '../../catalog/index.ts'
import {
  type Capsule,
  type Catalog,
  type OfferedTool,
  OrlaError,
  type Problem,
  type Tool,
} from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import { openOfferedTools } from '../offered-tools.ts'
import type { OneOff } from '../one-off.ts'
import { testsOf } from '../package-files.ts'
import { whereOf } from '../where.ts'
import type { TestSubject } from './subject.ts'

export interface Installed {
  readonly subjects: readonly TestSubject[]
  readonly catalog: Catalog
  /** What cannot serve, and so cannot be tested either. */
  readonly problems: readonly Problem[]
}

/** The packages that serve: all of them, or the one of a name. `NAME@v1.0.0` is that version, whichever serves. */
export async function findInstalled(
  loaded: LoadedConfig,
  runtime: OneOff,
  written: string | null,
): Promise<Installed> {
  const [, name = written, version] = /^(.+)@v?(.+)$/.exec(written ?? '') ?? []
  const offered = openOfferedTools(loaded.home)
  const where = whereOf(loaded, offered, runtime.integrity)
  const chosen = name === null || version === undefined ? {} : { [name]: version }
  const discovery = createDiscovery()
  const scan = () => discovery.scan({ ...where, versions: { ...where.versions, ...chosen } })
  let found = await scan()
  const unasked = found.capsules.filter(
    (one) => one.handshake === 'mcp' && offered.of(one) === undefined && (name === null || one.name === name),
  )
  const silent = new Map<string, string>()
  for (const capsule of unasked) {
    const answer = await ask(capsule, runtime)
    if (typeof answer === 'string') silent.set(capsule.name, answer)
    else offered.learn(capsule, answer)
  }
  if (unasked.length > silent.size) found = await scan()

  const { catalog, packages } = found
  const names = namesByFolder(packages, catalog)
  // A scan has no time to look at all files, and a copy to test is not looked at again.
  const doubtOf = (folder: string) => {
    const difference = runtime.integrity.differenceIn(folder)
    return difference && `is not tested: ${difference} since it was installed`
  }
  const wanted = [...names].filter(([, one]) => name === null || one === name)
  const subjects = await Promise.all(
    wanted.map(([folder, one]) => subjectOf(one, folder, catalog, doubtOf(folder) ?? silent.get(one))),
  )
  const fitting = version === undefined ? subjects : subjects.filter((one) => isVersion(one, version))
  return { subjects: fitting, catalog, problems: catalog.problems }
}

/** What an MCP server offers, or why it does not tell. */
async function ask(capsule: Capsule, runtime: OneOff): Promise<readonly OfferedTool[] | string> {
  try {
    return await runtime.offered(capsule)
  } catch (error) {
    if (error instanceof OrlaError) return error.message
    throw error
  }
}

/** Those of a package by its own name, the others by that of their tool. */
function namesByFolder(packages: readonly FoundPackage[], { tools }: Catalog): Map<string, string> {
  const names = new Map<string, string>()
  for (const { folder, manifest, state } of packages) if (state === 'in use') names.set(folder, manifest.name)
  for (const { name, origin } of tools.values()) {
    if (origin.kind === 'package' && !names.has(origin.folder)) names.set(origin.folder, name)
  }
  return names
}

async function subjectOf(
  name: string,
  folder: string,
  { tools, problems }: Catalog,
  obstacle: string | undefined,
): Promise<TestSubject> {
  const own = [...tools.values()].filter(
    ({ origin }) => origin.kind === 'package' && origin.folder === folder,
  )
  const isAbout = ({ file }: Problem) => file === folder || file.startsWith(`${folder}/`)
  const isOpen = own.length > 0 && obstacle === undefined
  const problem = isOpen ? undefined : (obstacle ?? problems.find(isAbout)?.message)
  return {
    name,
    folder,
    tools: isOpen ? own.map(inItsFolder) : [],
    testFiles: await testsOf(folder),
    ...(problem === undefined ? {} : { problem }),
  }
}

function isVersion({ tools }: TestSubject, version: string): boolean {
  return tools.length === 0 || tools.some((tool) => tool.version === version)
}

/** Tests are about a package, not about the project that uses it. */
function inItsFolder(tool: Tool): Tool {
  const { run, origin } = tool
  if (run.kind !== 'spawn' || origin.kind !== 'package') return tool
  return { ...tool, run: { ...run, command: { ...run.command, cwd: origin.folder } } }
}
