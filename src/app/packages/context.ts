import type { PackageDiff } from '../../formats/index.ts'
import { type GrantManner, OrlaError, type Registry } from '../../model/index.ts'
import {
  changeEntries,
  type InstallDeps,
  loadIndex,
  type Places,
  type Plan,
  type RegistryIndex,
} from '../../packages/index.ts'
import { checkGitUrl, createGit, createGitCache, type GitCache } from '../../platform/index.ts'
import { schemaJudges } from '../../runtime/index.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from '../config.ts'
import { openGrants } from '../grants/book.ts'
import { openRecords } from '../integrity/records.ts'
import { enforcementHere } from '../sandbox/enforcement.ts'
import { openTrustStore, trustFor } from '../signing/trust-store.ts'
import { environmentOf, type World } from '../world.ts'
import { runHook } from './hooks.ts'
import { runPackageTests } from './package-tests.ts'
import { placesOf } from './places.ts'
import { programVersion } from './programs.ts'
import { besideRegistry, judgeAddresses, withCredentials } from './registry-addresses.ts'
import { tokenFor } from './registry-token.ts'
import { servedTools } from './served-tools.ts'
import { isTrusted, trustRegistry } from './trusted-registries.ts'

/** How a command talks to the person before it. */
export interface Conversation {
  /** How it was accepted; undefined is a no. */
  readonly consent: (plan: Plan) => Promise<GrantManner | undefined>
  readonly trust: (registry: Registry) => Promise<boolean>
  /** A package that no registry vouches for is about to be fetched. */
  readonly trustSource: (name: string, from: string) => Promise<boolean>
  readonly warn: (message: string) => void
  readonly progress: (subject: string, state: string) => void
  /** What an update changes, and again with what tests have shown. */
  readonly compared?: (diff: PackageDiff) => void
}

export interface NetworkOptions {
  readonly offline: boolean
  readonly refresh: boolean
  /** `--registry URL`: only this one. */
  readonly registry?: string
  /** Nothing is to change, what is trusted neither. */
  readonly dryRun?: boolean
}

/** Everything the package commands share. */
export interface PackageContext {
  readonly world: World
  readonly request: ConfigRequest
  readonly loaded: LoadedConfig
  readonly places: Places
  readonly git: GitCache
  readonly registries: readonly Registry[]
  readonly index: (registry: Registry, again?: boolean) => Promise<RegistryIndex>
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
  const named =
    network.registry === undefined ? loaded.config.registries : [{ name: 'given', url: network.registry }]
  const { registries, credentials } = judgeAddresses(named, world.cwd)
  const git = withCredentials(
    createGitCache(createGit({ env: environmentOf(world) }), places.cacheDir),
    credentials,
  )
  const token = (registry: Registry, url: string) => tokenFor(world, registry, url)
  const indexes = new Map<string, Promise<RegistryIndex>>()
  let served: ReturnType<typeof servedTools> | undefined

  const index = (registry: Registry, again = false) => {
    const key = `${registry.url} ${again}`
    const known = indexes.get(key)
    if (known) return known
    const loading = askTrust(registry, loaded, network, conversation).then(() =>
      loadIndex(registry, {
        cacheDir: places.cacheDir,
        git,
        offline: network.offline,
        refresh: network.refresh || again,
        token: (one) => token(one, one.url),
        warn: conversation.warn,
        now: () => new Date(),
      }).then((read) => ({
        ...read,
        entries: changeEntries(read.entries, (entry) => besideRegistry(registry, entry)),
      })),
    )
    indexes.set(key, loading)
    return loading
  }
  return {
    world,
    request,
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
      index: (registry, again) => unlessAborted(index(registry, again), signal),
      token,
      schemas: schemaJudges,
      trust: trustFor(openTrustStore(loaded.home), loaded.config.signatures),
      memory: openRecords(loaded.home),
      cwd: world.cwd,
      ...(signal === undefined ? {} : { signal }),
      ports: {
        consent: (plan) => unlessAborted(conversation.consent(plan), signal),
        trustSource: (name, from) => unlessAborted(conversation.trustSource(name, from), signal),
        grants: openGrants(places.home),
        enforcement: enforcementHere(world, loaded),
        warn: conversation.warn,
        progress: conversation.progress,
        runTests: (folder, _manifest, beside) => runPackageTests(world, loaded, folder, beside, signal),
        servedTools: () => {
          served ??= servedTools(loaded)
          return served
        },
        runHook: (folder, path, { manifest, pin }) =>
          runHook(world, loaded, { folder, path, manifest, pin }, signal),
        programVersion: (name: string, asked?: boolean) => programVersion(world, name, asked),
        now: () => new Date(),
      },
    }),
  }
}

/** Neither a question nor a registry that does not answer holds up the end. */
function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer
  const aborted = new Promise<never>((_resolve, reject) => {
    const refuse = () => reject(new OrlaError('E_INTERRUPTED', 'interrupted'))
    if (signal.aborted) refuse()
    else signal.addEventListener('abort', refuse, { once: true })
  })
  return Promise.race([answer, aborted])
}

/** A stranger's project file may name any registry: nothing of it is used before someone said so. */
async function askTrust(
  registry: Registry,
  { home }: LoadedConfig,
  { dryRun = false }: NetworkOptions,
  conversation: Conversation,
): Promise<void> {
  checkGitUrl(registry.url)
  if (isTrusted(home, registry.url)) return
  if (!(await conversation.trust(registry))) {
    throw new OrlaError('E_UNTRUSTED', `the registry \`${registry.name}\` (${registry.url}) is not trusted`, {
      hint: '--yes trusts it, and so does `orla registry add`',
    })
  }
  if (!dryRun) await trustRegistry(home, registry.url)
}
