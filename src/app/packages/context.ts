import { join } from 'node:path'
import { OrlaError, type Registry } from '../../model/index.ts'
import {
  type InstallDeps,
  loadIndex,
  type Places,
  type Plan,
  type RegistryIndex,
} from '../../packages/index.ts'
import { createGit, createGitCache, type GitCache, originOf } from '../../platform/index.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from '../config.ts'
import { environmentOf, type World } from '../world.ts'
import { runHook } from './hooks.ts'
import { runPackageTests } from './package-tests.ts'
import { programVersion } from './programs.ts'
import { isTrusted, trustRegistry } from './trusted-registries.ts'

/** How a command talks to the person before it. */
export interface Conversation {
  readonly consent: (plan: Plan) => Promise<boolean>
  readonly trust: (registry: Registry) => Promise<boolean>
  readonly warn: (message: string) => void
  readonly progress: (subject: string, state: string) => void
}

export interface NetworkOptions {
  readonly offline: boolean
  readonly refresh: boolean
  /** `--registry URL`: only this one. */
  readonly registry?: string
}

/** Everything the package commands share. */
export interface PackageContext {
  readonly world: World
  readonly loaded: LoadedConfig
  readonly places: Places
  readonly git: GitCache
  readonly registries: readonly Registry[]
  readonly index: (registry: Registry) => Promise<RegistryIndex>
  readonly token: (registry: Registry, url: string) => string | undefined
  readonly conversation: Conversation
  installDeps(signal?: AbortSignal): InstallDeps
}

export async function openPackages(
  world: World,
  request: ConfigRequest,
  network: NetworkOptions,
  conversation: Conversation,
): Promise<PackageContext> {
  const loaded = await loadConfig(world, request)
  const places = placesOf(loaded)
  const git = createGitCache(createGit({ env: environmentOf(world) }), places.cacheDir)
  const registries =
    network.registry === undefined ? loaded.config.registries : [{ name: 'given', url: network.registry }]
  const token = (registry: Registry, url: string) => tokenFor(world, registry, url)
  const indexes = new Map<string, Promise<RegistryIndex>>()

  const index = (registry: Registry) => {
    const known = indexes.get(registry.url)
    if (known) return known
    const loading = askTrust(registry, loaded, conversation).then(() =>
      loadIndex(registry, {
        cacheDir: places.cacheDir,
        git,
        offline: network.offline,
        refresh: network.refresh,
        token: (one) => token(one, one.url),
        warn: conversation.warn,
        now: () => new Date(),
      }),
    )
    indexes.set(registry.url, loading)
    return loading
  }
  return {
    world,
    loaded,
    places,
    git,
    registries,
    index,
    token,
    conversation,
    installDeps: (signal) => ({
      git,
      places,
      registries,
      index,
      token,
      cwd: world.cwd,
      ...(signal === undefined ? {} : { signal }),
      ports: {
        consent: conversation.consent,
        warn: conversation.warn,
        progress: conversation.progress,
        runTests: (folder, manifest) => runPackageTests(world, loaded, folder, manifest),
        runHook: (folder, hook) => runHook(world, folder, hook),
        programVersion: (name) => programVersion(world, name),
        now: () => new Date(),
      },
    }),
  }
}

/** The project's tools folder when an orla.yaml governs, else the global one. */
function placesOf({ file, root, home, config }: LoadedConfig): Places {
  const cacheDir = join(home, 'cache')
  return file === null
    ? { scope: 'global', toolsDir: join(home, 'tools'), lockFile: join(home, 'orla.lock'), home, cacheDir }
    : { scope: 'project', toolsDir: config.toolsDir, lockFile: join(root, 'orla.lock'), home, cacheDir }
}

/** A stranger's project file may name any registry: nothing of it is used before someone said so. */
async function askTrust(
  registry: Registry,
  { home }: LoadedConfig,
  conversation: Conversation,
): Promise<void> {
  if (isTrusted(home, registry.url)) return
  if (!(await conversation.trust(registry))) {
    throw new OrlaError('E_UNTRUSTED', `the registry \`${registry.name}\` (${registry.url}) is not trusted`, {
      hint: '--yes trusts it, and so does `orla registry add`',
    })
  }
  trustRegistry(home, registry.url)
}

/** The token of a registry goes to its own host and to no other. */
function tokenFor(world: World, registry: Registry, url: string): string | undefined {
  const value = world.env[`ORLA_REGISTRY_TOKEN_${registry.name.toUpperCase().replaceAll('-', '_')}`]
  if (!value) return undefined
  const origin = originOf(registry.url)
  return origin !== undefined && origin === originOf(url) ? value : undefined
}
