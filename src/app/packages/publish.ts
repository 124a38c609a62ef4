import { join, resolve } from 'node:path'
import { renderRegistryEntry } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import { besidePackage, checkPackage } from '../../packages/index.ts'
import { createGit, openWorkingCopy, readTextIfThere, shownUrl } from '../../platform/index.ts'
import { schemaJudges } from '../../runtime/index.ts'
import type { ConfigRequest } from '../config.ts'
import { keyFileOf } from '../signing/keys.ts'
import { environmentOf, type World } from '../world.ts'
import { platformsOf } from './platforms.ts'

export interface Publication {
  readonly name: string
  readonly version: string
  readonly tag: string
  readonly commit: string
  /** False when the tag was there already, at this commit. */
  readonly created: boolean
  /** What to put into registry.yaml. */
  readonly entry: string
  /** Where the repository is pushed to, if that is known. */
  readonly remote: string | null
}

/** Manifest, tag, tree and changelog must agree before anything is tagged. Every disagreement is told at once. */
export async function publishPackage(
  world: World,
  request: ConfigRequest,
  where: string,
  { dryRun, key }: { readonly dryRun: boolean; readonly key?: string | undefined },
): Promise<Publication> {
  const keyFile = key === undefined ? undefined : keyFileOf(world, request, key)
  const folder = resolve(world.cwd, where)
  const { manifest, mcpkg, problems } = await checkPackage(folder, {
    schemas: schemaJudges,
    isLeftOut: besidePackage(folder),
  })
  const wrong = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)
  if (manifest === undefined) throw refuse(folder, wrong)
  const repository = openWorkingCopy(createGit({ env: environmentOf(world) }), folder)
  const tag = `v${manifest.version}`
  const state = await repository.state(tag)
  if (state === undefined) throw refuse(folder, ['it is not a git repository with a commit'], FIRST_COMMIT)
  if (state.changes.length > 0) wrong.push(`not committed: ${state.changes.slice(0, 5).join(', ')}`)
  if (state.tagCommit !== undefined && state.tagCommit !== state.commit) {
    wrong.push(
      `the tag ${tag} is at another commit already (${state.tagCommit.slice(0, 12)}): raise the version`,
    )
  }
  const changelog = readTextIfThere(join(folder, 'CHANGELOG.md'))
  if (changelog !== undefined && !mentions(changelog, manifest.version)) {
    wrong.push(`CHANGELOG.md says nothing of ${manifest.version}`)
  }
  if (wrong.length > 0) throw refuse(folder, wrong)
  const created = state.tagCommit === undefined
  if (created && !dryRun) await repository.tag(tag, `${manifest.name} ${manifest.version}`, keyFile)
  const { name, version, description, keywords, capabilities, author, language } = manifest
  const entry = await renderRegistryEntry({
    name,
    description,
    repository: shownUrl(manifest.repository ?? state.remote ?? folder),
    keywords,
    capabilities,
    platforms: platformsOf(mcpkg),
    ...(author === undefined ? {} : { maintainer: author }),
    ...(language === undefined ? {} : { language }),
  })
  return {
    name,
    version,
    tag,
    commit: state.commit,
    created,
    entry,
    remote: state.remote === undefined ? null : shownUrl(state.remote),
  }
}

/** The version itself: 1.0.0 is neither 11.0.0 nor 1.0.0-rc.1. */
function mentions(changelog: string, version: string): boolean {
  const spelled = version.replace(/[.+]/g, '\\$&')
  return new RegExp(`(?<![\\w.+])v?${spelled}(?![\\w+]|[.-]\\w)`).test(changelog)
}

function refuse(folder: string, wrong: readonly string[], hint?: string): OrlaError {
  const options = hint === undefined ? {} : { hint }
  return new OrlaError('E_PACKAGE', `${folder} cannot be published:\n${wrong.join('\n')}`, options)
}

const FIRST_COMMIT = 'in that folder: git init, git add -A, git commit -m "first version"'
