import { join, resolve } from 'node:path'
import {
  addRegistry,
  addRegistryEntry,
  checkPackageName,
  chooseTag,
  dropRegistry,
  loadYaml,
  readRegistry,
} from '../../formats/index.ts'
import { OrlaError, type Registry } from '../../model/index.ts'
import { checkPackage } from '../../packages/index.ts'
import {
  checkGitUrl,
  createGit,
  createGitCache,
  initRepository,
  isFolder,
  listFolder,
  makeFolder,
  openStaging,
  readTextIfThere,
  writeFileAtomic,
} from '../../platform/index.ts'
import { type ConfigRequest, loadConfig, locateProject } from '../config.ts'
import { editConfig } from '../edit-config.ts'
import { environmentOf, type World } from '../world.ts'
import { platformsOf } from './platforms.ts'
import { judgeAddresses } from './registry-addresses.ts'
import { tokenFor, tokenVariable } from './registry-token.ts'
import { distrustRegistry, isTrusted, trustRegistry } from './trusted-registries.ts'

export interface ListedRegistry extends Registry {
  readonly trusted: boolean
  readonly source: string
}

export async function listRegistries(world: World, request: ConfigRequest): Promise<ListedRegistry[]> {
  const { config, home, settings } = await loadConfig(world, request)
  const source = settings.find(({ key }) => key === 'registries')?.source ?? 'default'
  return judgeAddresses(config.registries, world.cwd).registries.map((registry) => ({
    ...registry,
    trusted: isTrusted(home, registry.url),
    source,
  }))
}

export interface AddedRegistry {
  readonly file: string
  readonly url: string
  /** False when it was configured already, and is trusted now. */
  readonly isNew: boolean
  /** Worth knowing: it cannot be read now, or its password was left out. */
  readonly warnings: readonly RegistryWarning[]
}

interface RegistryWarning {
  readonly message: string
  readonly hint?: string
}

/** Adding one by hand is trusting it. A password in the address goes nowhere. */
export async function addRegistryTo(
  world: World,
  request: ConfigRequest,
  name: string,
  address: string,
): Promise<AddedRegistry> {
  const wrong = checkPackageName(name)
  if (wrong !== undefined)
    throw new OrlaError('E_USAGE', `${JSON.stringify(name)} cannot be the name of a registry: ${wrong}`)
  const { url, credential } = checkGitUrl(address, world.cwd)
  const warnings: RegistryWarning[] = []
  if (credential !== undefined) {
    warnings.push({
      message: `the password in the address is not kept; set ${tokenVariable(name)} or let git remember it (git help credentials)`,
    })
  }
  let isThere = false
  const file = await editConfig(world, request, async (source, { config, home: own }) => {
    const { registries } = judgeAddresses(config.registries, world.cwd)
    // Whoever was interrupted, or found it in the project, still has to trust it.
    isThere = registries.some((one) => one.name === name && one.url === url) && !isTrusted(own, url)
    if (isThere) return source
    if (config.registries.some((one) => one.name === name)) {
      throw new OrlaError('E_USAGE', `there is a registry \`${name}\` already`, {
        hint: `\`orla registry remove ${name}\` removes it`,
      })
    }
    const same = registries.find((one) => one.url === url)
    if (same !== undefined) {
      throw new OrlaError('E_USAGE', `${url} is the registry \`${same.name}\` already`, {
        hint: `\`orla install ${same.name}/NAME\` installs from it`,
      })
    }
    return addRegistry(source, { name, url }, registries)
  })
  const { home } = locateProject(world, request)
  await trustRegistry(home, url)
  const missing = await whyNotReadable(world, home, address, tokenFor(world, { name, url }, url))
  return { file, url, isNew: !isThere, warnings: missing === undefined ? warnings : [...warnings, missing] }
}

const PATIENCE_MS = 15_000

async function whyNotReadable(
  world: World,
  home: string,
  address: string,
  token: string | undefined,
): Promise<RegistryWarning | undefined> {
  const git = createGitCache(createGit({ env: environmentOf(world) }), join(home, 'cache'))
  // A path may be relative: git is given what was judged, with the password it came with.
  const judged = checkGitUrl(address, world.cwd)
  try {
    await git.readFile(judged.credential === undefined ? judged.url : address, 'registry.yaml', {
      timeoutMs: PATIENCE_MS,
      ...(token === undefined ? {} : { token }),
    })
    return undefined
  } catch (error) {
    const { message, hint } = error as OrlaError // git fails with nothing else
    return { message: `it cannot be read now: ${message}`, ...(hint === undefined ? {} : { hint }) }
  }
}

export async function removeRegistryFrom(
  world: World,
  request: ConfigRequest,
  name: string,
): Promise<{ file: string }> {
  let gone: Registry | undefined
  const file = await editConfig(world, request, (source, { config }) => {
    const { registries } = judgeAddresses(config.registries, world.cwd)
    gone = registries.find((one) => one.name === name)
    if (gone === undefined) {
      throw new OrlaError('E_NOT_FOUND', `there is no registry \`${name}\``, {
        hint: '`orla registry list` shows them',
      })
    }
    return dropRegistry(source, name, registries)
  })
  if (gone !== undefined) await distrustRegistry(locateProject(world, request).home, gone.url)
  return { file }
}

/** A new registry: a git repository with an index that lists nothing yet. */
export async function initRegistry(world: World, where: string): Promise<{ folder: string }> {
  const folder = resolve(world.cwd, where)
  if (isFolder(folder) && listFolder(folder).length > 0) {
    throw new OrlaError('E_FILE', `${folder} is not empty`, { hint: 'choose a new folder' })
  }
  makeFolder(folder)
  writeFileAtomic(
    join(folder, 'registry.yaml'),
    `version: 1\n# Where others find this repository.\nregistry_url: ${JSON.stringify(folder)}\ntools: []\n`,
  )
  writeFileAtomic(join(folder, 'README.md'), REGISTRY_README)
  await initRepository(createGit({ env: environmentOf(world) }), folder, 'a registry')
  return { folder }
}

const REGISTRY_README = `# A registry of Orla tools

\`registry.yaml\` lists the tools. Add one with \`orla registry add-tool . REPOSITORY\`, commit and push.
Use it with \`orla registry add NAME URL\`.
`

/** Writes the entry of a tool, taken from its own manifest at its newest tag. */
export async function addToolTo(
  world: World,
  where: string,
  repository: string,
): Promise<{ file: string; name: string; version: string }> {
  const file = join(resolve(world.cwd, where), 'registry.yaml')
  const source = readTextIfThere(file)
  if (source === undefined)
    throw new OrlaError('E_FILE', `there is no ${file}`, {
      hint: '`orla registry init DIR` makes a registry',
    })
  const { url, credential } = checkGitUrl(repository, world.cwd)
  // With the password it came with; what is written and told is without.
  const address = credential === undefined ? url : repository
  const scratch = openStaging(resolve(world.cwd, where))
  try {
    const git = createGitCache(createGit({ env: environmentOf(world) }), join(scratch.dir, '../cache'))
    const tags = await git.listTags(address)
    const tag = chooseTag(tags.map((one) => one.tag))
    if (tag === undefined)
      throw new OrlaError('E_NOT_FOUND', `${url} has no tag that is a version, such as v1.0.0`, {
        hint: '`orla publish` makes one',
      })
    const commit = await git.ensure(address, tag, undefined)
    await git.exportTree(url, commit, scratch.dir)
    const { manifest, mcpkg, problems } = await checkPackage(scratch.dir)
    if (manifest === undefined) {
      throw new OrlaError(
        'E_PACKAGE',
        `${url} ${tag} is not a package:\n${problems.map(({ message }) => message).join('\n')}`,
      )
    }
    if (`v${manifest.version}` !== tag)
      throw new OrlaError('E_PACKAGE', `the tag ${tag} holds version ${manifest.version}`)
    const { entries } = readRegistry(source, file, await loadYaml())
    const { name, description, keywords, capabilities, author, language, version } = manifest
    if (entries.some((entry) => entry.name === name && entry.repository !== url)) {
      throw new OrlaError('E_REFUSED', `${name} is in the registry already, from another repository`)
    }
    const entry = {
      name,
      description,
      repository: url,
      keywords,
      capabilities,
      platforms: platformsOf(mcpkg),
      ...(author === undefined ? {} : { maintainer: author }),
      ...(language === undefined ? {} : { language }),
    }
    writeFileAtomic(file, await addRegistryEntry(source, entry))
    return { file, name, version }
  } finally {
    scratch.discard()
  }
}
