import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { McpkgHost } from '../../formats/index.ts'
import { type Catalog, EMPTY_CATALOG, nearest, OrlaError, type Problem } from '../../model/index.ts'
import { dropOwnFiles } from '../../packages/index.ts'
import { extractArchive, isFolder, lookAtProgram, openStaging } from '../../platform/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { OneOff } from '../one-off.ts'
import type { World } from '../world.ts'
import { type AskBeforeTests, acceptTests } from './consent.ts'
import { findInstalled, type Installed } from './find-installed.ts'
import { folderSubject } from './folder-subject.ts'
import { type CopiedSubject, onCopy } from './on-copy.ts'
import type { TestSubject } from './subject.ts'

export interface Found {
  readonly subjects: readonly TestSubject[]
  /** What else can be called here. */
  readonly catalog: Catalog
  /** What stands beside them and cannot be tested. */
  readonly problems: readonly Problem[]
  /** Removes what had to be unpacked. */
  readonly discard: () => void
}

const ARCHIVE = /\.(mcpkg|zip|tgz|tar\.gz)$/i
const TEST = /\.test\.json$/i

/**
 * What `orla test` was told to test: a folder, an archive, one test, or an installed package by its name; null means
 * every package that serves.
 */
export async function findSubjects(
  what: string | null,
  world: World,
  loaded: LoadedConfig,
  runtime: OneOff,
  ask: AskBeforeTests,
): Promise<Found> {
  const installed = (name: string | null) => findInstalled(loaded, runtime, name)
  if (what === null) return onCopies(await installed(null))
  const path = resolve(world.cwd, what)
  const isTest = isOneTest(what) && isThere(path)
  // A folder that only happens to have the name of a package stands in nobody's way.
  const isPlace = isFolder(path) && (isPackage(path) || /[/\\.]/.test(what))
  if (!isPlace && !isArchive(path) && !isTest) return byName(what, await installed(what))
  const { host } = loaded.mcpkg
  const held = isArchive(path)
    ? await unpack(path, runtime, loaded, ask)
    : await inFolder(path, isTest, runtime, host)
  // Only a chain calls other tools; nobody else has to wait until they are found.
  const isChain = held.subject.tools.some(({ run }) => run.kind === 'chain')
  const catalog = isChain ? (await installed(held.subject.name)).catalog : EMPTY_CATALOG
  return { subjects: [held.subject], catalog, problems: [], discard: held.discard }
}

/** Whether what was asked for names a test and not a package. */
export function isOneTest(what: string | null): boolean {
  return what !== null && TEST.test(what)
}

export function isArchive(path: string): boolean {
  return ARCHIVE.test(path) && isThere(path)
}

function byName(name: string, found: Installed): Found {
  if (found.subjects.length > 0) return onCopies({ ...found, problems: [] })
  const names = [...found.catalog.tools.values()].flatMap((tool) =>
    tool.origin.kind === 'package' ? [tool.name] : [],
  )
  const close = nearest(name, names)
  throw new OrlaError(
    'E_NOT_FOUND',
    `there is neither a folder nor a file nor an installed package \`${name}\``,
    { hint: close === undefined ? '`orla list` shows what is installed' : `did you mean \`${close}\`?` },
  )
}

function onCopies(found: Installed): Found {
  const copies: CopiedSubject[] = []
  const discard = () => {
    for (const copy of copies) copy.discard()
  }
  try {
    for (const subject of found.subjects) copies.push(onCopy(subject))
  } catch (error) {
    discard()
    throw error
  }
  return { ...found, subjects: copies.map(({ subject }) => subject), discard }
}

async function inFolder(
  path: string,
  isTest: boolean,
  runtime: OneOff,
  host: McpkgHost,
): Promise<CopiedSubject> {
  const subject = await folderSubject(isTest ? packageAround(path) : path, runtime, host)
  return { subject: isTest ? { ...subject, testFiles: [path] } : subject, discard() {} }
}

async function unpack(
  path: string,
  runtime: OneOff,
  { mcpkg, home }: LoadedConfig,
  ask: AskBeforeTests,
): Promise<CopiedSubject> {
  const staging = openStaging(tmpdir())
  const discard = () => staging.discard()
  try {
    const isMcpkg = /\.mcpkg$/i.test(path)
    await extractArchive(path, staging.dir, { stripTopFolder: true, ...(isMcpkg ? { only: 'zip' } : {}) })
    dropOwnFiles(staging.dir)
    await acceptTests(path, staging.dir, home, ask)
    return { subject: await folderSubject(staging.dir, runtime, mcpkg.host), discard }
  } catch (error) {
    discard()
    throw error
  }
}

/** The package to which a test belongs. */
function packageAround(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (isPackage(folder)) return folder
    if (folder === dirname(folder)) {
      throw new OrlaError('E_NOT_FOUND', `${file} is not inside a package`, {
        hint: 'a package is a folder with a tool.yaml or a manifest.json',
      })
    }
  }
}

function isPackage(folder: string): boolean {
  return ['tool.yaml', 'manifest.json', 'orla-tool.json'].some((name) => isThere(join(folder, name)))
}

function isThere(file: string): boolean {
  return lookAtProgram(file).kind === 'file'
}
