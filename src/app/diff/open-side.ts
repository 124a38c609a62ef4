import { resolve } from 'node:path'
import { chooseTag, compareVersions } from '../../formats/index.ts'
import { type LockEntry, OrlaError } from '../../model/index.ts'
import { type PlannedPackage, parseSpec, readLocks, stagePackage, type Wanted } from '../../packages/index.ts'
import type { OneOff } from '../one-off.ts'
import type { PackageContext } from '../packages/context.ts'
import { tokenOf } from '../packages/manage.ts'
import { findSubjects, isArchive } from '../testing/find-subjects.ts'
import { folderSubject } from '../testing/folder-subject.ts'
import type { TestSubject } from '../testing/subject.ts'

/** One of two packages that are compared, wherever it is. */
export interface Side {
  readonly folder: string
  /** For people. */
  readonly from: string
  /** Of one that was fetched: what someone has to accept before anything of it runs. */
  readonly planned?: PlannedPackage
  /** May start an MCP server to learn what it offers. */
  subject(): Promise<TestSubject>
  discard(): void
}

export interface Surroundings {
  readonly context: PackageContext
  readonly runtime: OneOff
  readonly offline: boolean
  readonly signal: AbortSignal
}

/** A folder, an archive, an installed package, or one that has to be fetched: the first of them that it is. */
export async function openSide(word: string, around: Surroundings): Promise<Side> {
  const { context, runtime } = around
  const { world, loaded, conversation } = context
  try {
    const { subjects, discard } = await findSubjects(word, world, loaded, runtime, conversation.consent)
    const [subject] = subjects
    if (subject === undefined) throw new OrlaError('E_NOT_FOUND', `there is no package \`${word}\``)
    // What was unpacked lies where nobody knows it.
    const path = resolve(context.world.cwd, word)
    const from = isArchive(path) ? path : subject.folder
    return { folder: subject.folder, from, subject: async () => subject, discard }
  } catch (error) {
    // A path that is not there is nothing that could be fetched.
    if (!(error instanceof OrlaError) || error.code !== 'E_NOT_FOUND' || /^[./\\~]/.test(word)) throw error
    return fetchSide(word, around)
  }
}

/** From where the installed one came, or from whoever lists it. */
export async function fetchSide(word: string, around: Surroundings): Promise<Side> {
  const { context, runtime, offline, signal } = around
  const wanted = await wantedOf(word, around)
  const staged = await stagePackage(wanted, offline, context.installDeps(signal))
  const { folder, planned } = staged
  return {
    folder,
    from: planned.from,
    planned,
    subject: () => folderSubject(folder, runtime, context.loaded.mcpkg.host),
    discard: () => staged.discard(),
  }
}

async function wantedOf(word: string, { context, offline, signal }: Surroundings): Promise<Wanted> {
  const spec = parseSpec(word.replace(/@(?=\d)/, '@v'))
  if (spec.kind !== 'name' || spec.registry !== undefined) return { spec }
  const locked = newestLocked(readLocks(context.places).packages, spec.name)
  if (locked?.pin.kind !== 'git') return { spec }
  if (spec.tag !== undefined) return { update: locked, tag: spec.tag }
  const { git } = context
  const token = tokenOf(context, locked)
  const { url } = locked.pin
  const tags = offline
    ? await git.cachedTags(url)
    : await git.listTags(url, { signal, ...(token === undefined ? {} : { token }) })
  return { update: locked, tag: chooseTag(tags.map(({ tag }) => tag)) ?? locked.pin.tag }
}

function newestLocked(packages: readonly LockEntry[], name: string): LockEntry | undefined {
  return packages
    .filter((entry) => entry.name === name)
    .sort((a, b) => compareVersions(b.version, a.version))[0]
}
