import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import {
  CONFIG,
  type ConfigFile,
  type Issue,
  loadYaml,
  SETTINGS,
  type Setting,
  toConfig,
} from '../formats/index.ts'
import { type Config, OrlaError, type Problem, type Registry, type TokenConfig } from '../model/index.ts'
import { findUpward, readTextIfThere, shownUrl } from '../platform/index.ts'
import { mcpkgWorld } from './mcpkg-world.ts'
import type { World } from './world.ts'

export interface ConfigRequest {
  /** `--config FILE`; otherwise the nearest orla.yaml upward. */
  readonly file?: string
  /** Settings given on the command line, by dotted key. They survive every reload. */
  readonly flags: Readonly<Record<string, string>>
  /** `--global`: for every project, as if no orla.yaml were there. */
  readonly global?: boolean
}

export interface LoadedConfig extends Project {
  readonly config: Config
  readonly settings: readonly EffectiveSetting[]
  /** What .mcpkg packages are judged by. */
  readonly mcpkg: ReturnType<typeof mcpkgWorld>
}

export interface EffectiveSetting {
  readonly key: string
  /** As one would write it in the file. */
  readonly value: unknown
  readonly source: string
  readonly about: string
  readonly secret: boolean
}

/**
 * Layers, each complete over the one below: flags, ORLA_*, orla.yaml, ~/.orla/config.yaml, defaults. Only what holds
 * packages back is never laxer in orla.yaml than the user wants it everywhere.
 */
export async function loadConfig(world: World, request: ConfigRequest): Promise<LoadedConfig> {
  const { root, file, home } = locateProject(world, request)
  const project = file === null ? undefined : await readConfigFile(file, true)
  const user = await readConfigFile(join(home, 'config.yaml'), false)

  const values = new Map<string, unknown>()
  const settings: EffectiveSetting[] = []
  for (const setting of SETTINGS) {
    const found =
      fromFlag(setting, request.flags, world.cwd) ??
      fromEnvironment(setting, world) ??
      fromFiles(setting, project, user) ??
      fromDefault(setting, root)
    values.set(setting.key, found.value)
    const { shape, key, secret } = setting
    const written = shape.written && found.value !== null ? shape.written(found.value) : found.value
    const value = key === 'registries' ? withoutPasswords(written) : written
    settings.push({ key, value, source: found.source, about: shape.about, secret })
  }
  const mcpkg = mcpkgWorld(world, { root, file, home })
  return { config: toConfig(values), root, file, home, settings, mcpkg }
}

/** Settings are shown to people; what a registry is opened with is not. */
function withoutPasswords(registries: unknown): unknown {
  return (registries as readonly Registry[]).map(({ name, url }) => ({ name, url: shownUrl(url) }))
}

export interface Project {
  /** The folder of orla.yaml, else the working directory. */
  readonly root: string
  readonly file: string | null
  readonly home: string
}

/** Where the project and Orla's own files are; reads nothing. */
export function locateProject(world: World, request: ConfigRequest): Project {
  const home = resolve(world.cwd, world.env.ORLA_HOME || join(homedir(), '.orla'))
  if (request.global) return { root: world.cwd, file: null, home }
  const named = request.file ?? (world.env.ORLA_CONFIG || undefined)
  const file = named === undefined ? findUpward('orla.yaml', world.cwd) : resolve(world.cwd, named)
  return { root: file === undefined ? world.cwd : dirname(file), file: file ?? null, home }
}

interface Found {
  readonly value: unknown
  readonly source: string
}

interface FileLayer {
  readonly file: string
  readonly content: ConfigFile
}

async function readConfigFile(file: string, mustExist: boolean): Promise<FileLayer | undefined> {
  let source: string | undefined
  try {
    source = readTextIfThere(file)
  } catch (error) {
    throw new OrlaError('E_CONFIG', `cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
  if (source === undefined) {
    if (!mustExist) return undefined
    throw new OrlaError('E_CONFIG', `there is no file ${file}`, { hint: '`orla init` writes an orla.yaml' })
  }
  const readYaml = await loadYaml(source)
  const { value, problems } = readYaml(source, file, CONFIG)
  if (problems.length > 0 || value === undefined) {
    throw new OrlaError('E_CONFIG', problems.map(describeProblem).join('\n'), {
      hint: 'every key is described in docs/reference/configuration.md; `orla config` shows what is in force',
    })
  }
  return { file, content: value }
}

function describeProblem(problem: Problem & { column?: number }): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(':')
  return `${place}: ${problem.message}${problem.hint === undefined ? '' : ` (${problem.hint})`}`
}

function fromFlag(setting: Setting, flags: ConfigRequest['flags'], cwd: string): Found | undefined {
  const written = flags[setting.key]
  if (written === undefined) return undefined
  const flag = `--${setting.key.replace(/_/g, '-')}`
  return { value: readText(setting, written, flag, 'E_USAGE', cwd), source: 'flag' }
}

function fromEnvironment(setting: Setting, world: World): Found | undefined {
  const written = world.env[setting.env]
  if (written === undefined || written === '') return undefined
  return { value: readText(setting, written, setting.env, 'E_CONFIG', world.cwd), source: setting.env }
}

function readText(
  setting: Setting,
  written: string,
  name: string,
  code: 'E_USAGE' | 'E_CONFIG',
  cwd: string,
): unknown {
  const issues: Issue[] = []
  const value = setting.shape.read(setting.shape.fromText(written), [], issues)
  const issue = issues[0]
  if (issue)
    throw new OrlaError(
      code,
      `${name} ${issue.message}`,
      issue.hint === undefined ? {} : { hint: issue.hint },
    )
  return setting.shape.isPath ? resolve(cwd, String(value)) : value
}

function fromFiles(
  setting: Setting,
  project: FileLayer | undefined,
  user: FileLayer | undefined,
): Found | undefined {
  const [here, everywhere] = [fromFile(setting, project), fromFile(setting, user)]
  const { strictness } = setting
  if (here === undefined || everywhere === undefined || strictness === undefined) return here ?? everywhere
  return strictness.indexOf(here.value) < strictness.indexOf(everywhere.value) ? everywhere : here
}

function fromFile(setting: Setting, layer: FileLayer | undefined): Found | undefined {
  if (layer === undefined) return undefined
  const value = setting.key
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], layer.content)
  if (value === undefined) return undefined
  return { value: placed(setting, value, dirname(layer.file)), source: layer.file }
}

/** Relative paths belong to the file that says them, those of registries and tokens too. */
function placed(setting: Setting, value: unknown, folder: string): unknown {
  if (setting.shape.isPath && typeof value === 'string') return resolve(folder, value)
  if (setting.key === 'auth.tokens')
    return (value as readonly TokenConfig[]).map((token) =>
      token.token_file === undefined ? token : { ...token, token_file: resolve(folder, token.token_file) },
    )
  if (setting.key !== 'registries') return value
  return (value as readonly Registry[]).map(({ name, url }) => ({
    name,
    url: isRelativePath(url) ? resolve(folder, url) : url,
  }))
}

/** Neither absolute, nor `scheme://`, nor `host:path`, nor an option in disguise. */
function isRelativePath(url: string): boolean {
  return /^[^/:-][^/:]*(?:\/|$)/.test(url)
}

function fromDefault(setting: Setting, root: string): Found {
  const { fallback, shape } = setting
  return {
    value: shape.isPath && typeof fallback === 'string' ? resolve(root, fallback) : fallback,
    source: 'default',
  }
}
