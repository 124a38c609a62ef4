import { createDiscovery } from '../catalog/index.ts'
import { type Catalog, commandsOf, OrlaError, type Tool } from '../model/index.ts'
import {
  findProgram,
  loadLooker,
  lookerFile,
  probePort,
  versionOf,
  whyNotWritable,
} from '../platform/index.ts'
import { isLoopback } from '../server/index.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from './config.ts'
import { checkAccess } from './doctor-access.ts'
import { othersMayRead } from './others-may-read.ts'
import { examineSandbox } from './sandbox/examine.ts'
import { readRecords } from './server-record.ts'
import { sharedKeys } from './signing/keys.ts'
import { launcherOf } from './starter.ts'
import { whereOf } from './where.ts'
import { harmlessEnvironment, type World } from './world.ts'

export interface Check {
  readonly name: string
  /** Only `fails` prevents serving. */
  readonly state: 'ok' | 'warns' | 'fails'
  readonly message: string
  readonly hint?: string
}

const MIN_NODE = [20, 19] as const

/** Looks at everything serving needs. Each finding comes with a way out. */
export async function examine(world: World, request: ConfigRequest): Promise<Check[]> {
  const checks = [checkNode(), checkGit(world)]
  let loaded: LoadedConfig
  try {
    loaded = await loadConfig(world, request)
  } catch (error) {
    if (!(error instanceof OrlaError)) throw error
    return [
      ...checks,
      { name: 'configuration', state: 'fails', message: error.message, ...hintOf(error.hint) },
    ]
  }
  checks.push({
    name: 'configuration',
    state: 'ok',
    message: loaded.file ?? 'none: defaults apply',
    ...hintOf(loaded.file === null ? '`orla init` writes an orla.yaml' : undefined),
  })
  const { catalog, missing } = await createDiscovery().scan(whereOf(loaded))
  return [
    ...checks,
    checkTools(loaded.config.toolsDir, catalog, missing),
    ...checkInterpreters(world, catalog),
    ...checkProblems(catalog),
    ...checkLog(loaded),
    ...(await checkAccess(world, loaded)),
    ...checkKeys(loaded),
    await checkPort(loaded),
    checkLauncher(world),
    checkLooker(world),
    ...(await examineSandbox(world, loaded)),
  ]
}

function checkNode(): Check {
  const version = process.versions.node
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const fits = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])
  return fits
    ? { name: 'node', state: 'ok', message: version }
    : {
        name: 'node',
        state: 'fails',
        message: `${version} is too old`,
        hint: `install Node ${MIN_NODE.join('.')} or newer`,
      }
}

function checkGit(world: World): Check {
  const file = findProgram('git', world.env.PATH ?? '', world.cwd)
  if (file === undefined) {
    return {
      name: 'git',
      state: 'warns',
      message: 'not found; serving works without it, installing packages does not',
      hint: 'apt-get install git, brew install git',
    }
  }
  return {
    name: 'git',
    state: 'ok',
    message: versionOf(file, harmlessEnvironment(world))?.replace(/^git version /, '') ?? file,
  }
}

function checkTools(toolsDir: string, catalog: Catalog, missing: boolean): Check {
  if (missing) {
    return {
      name: 'tools',
      state: 'warns',
      message: `there is no folder ${toolsDir}`,
      hint: '`orla init` makes it with a sample',
    }
  }
  const count = catalog.tools.size
  if (count > 0) return { name: 'tools', state: 'ok', message: `${count} in ${toolsDir}` }
  return {
    name: 'tools',
    state: 'warns',
    message: `none in ${toolsDir}`,
    hint: 'put an executable there (chmod +x)',
  }
}

function checkInterpreters(world: World, catalog: Catalog): Check[] {
  const users = new Map<string, Tool[]>()
  for (const tool of catalog.tools.values()) {
    for (const { file, script } of commandsOf(tool.run))
      if (file !== script) users.set(file, [...(users.get(file) ?? []), tool])
  }
  return [...users].map(([interpreter, tools]): Check => {
    const name = `interpreter ${interpreter}`
    const file = findProgram(interpreter, world.env.PATH ?? '', world.cwd)
    if (file) return { name, state: 'ok', message: file }
    const wanted = tools.map((tool) => tool.name).join(', ')
    return {
      name,
      state: 'warns',
      message: `not found; needed by ${wanted}`,
      hint: `install ${interpreter} or change the first line of the script`,
    }
  })
}

function checkProblems(catalog: Catalog): Check[] {
  return catalog.problems.map((problem) => ({
    name: 'problem',
    state: 'warns',
    message: `${problem.file}${problem.line === undefined ? '' : `:${problem.line}`}: ${problem.message}`,
    ...hintOf(problem.hint),
  }))
}

function checkLog({ config }: LoadedConfig): Check[] {
  if (config.logFile === null) return []
  const problem = whyNotWritable(config.logFile)
  if (problem === undefined) return [{ name: 'log file', state: 'ok', message: config.logFile }]
  const message = `${config.logFile} cannot be written: ${problem}`
  return [{ name: 'log file', state: 'fails', message, hint: 'choose another log_file, or leave it out' }]
}

function checkKeys({ home }: LoadedConfig): Check[] {
  const warn = (file: string): Check => ({
    name: 'keys',
    state: 'warns',
    ...othersMayRead('private key', file),
  })
  return sharedKeys(home).map(warn)
}

async function checkPort({ config, home, root }: LoadedConfig): Promise<Check> {
  const { host, port, transport } = config
  if (transport === 'stdio') return { name: 'port', state: 'ok', message: 'not needed: transport is stdio' }
  const isOpen = config.token === null && config.auth.tokens.length === 0 && config.auth.issuer === null
  if (!isLoopback(host) && isOpen)
    return {
      name: 'port',
      state: 'fails',
      message: `serving ${host} would let others run tools on this machine`,
      hint: 'set auth.token, or start with --insecure',
    }
  const { free, code } = await probePort(host, port)
  if (free && port === 0) return { name: 'port', state: 'ok', message: 'a free one is picked at start' }
  if (free) return { name: 'port', state: 'ok', message: `${host}:${port} is free` }
  const ours = readRecords(home).find((server) => server.url?.includes(`:${port}/`))
  if (ours?.root === root)
    return { name: 'port', state: 'ok', message: `${port} is served by Orla (pid ${ours.pid}, ${ours.root})` }
  if (ours)
    return {
      name: 'port',
      state: 'fails',
      message: `${port} is used by the Orla of another project (pid ${ours.pid}, ${ours.root})`,
      hint: 'choose another: `orla --port 0` picks a free one',
    }
  const why = code === 'EADDRINUSE' ? 'is used by another program' : `cannot be used (${code})`
  return {
    name: 'port',
    state: 'fails',
    message: `${host}:${port} ${why}`,
    hint: 'choose another: `orla --port 0` picks a free one',
  }
}

function checkLauncher(world: World): Check {
  const path = launcherOf(world)
  if (path !== undefined) return { name: 'launcher', state: 'ok', message: path }
  return {
    name: 'launcher',
    state: 'warns',
    message: 'none: programs are started with Node, which is slower and knows no limits',
    hint: 'build Orla with a C compiler (apt-get install gcc), or unset ORLA_LAUNCHER',
  }
}

function checkLooker({ env, folder }: World): Check {
  const name = 'looker'
  const path = env.ORLA_LOOKER === 'off' ? undefined : lookerFile(folder)
  if (path === undefined)
    return { name, state: 'ok', message: 'none: files are looked at with Node, which is slower' }
  try {
    loadLooker(path)
    return { name, state: 'ok', message: path }
  } catch (error) {
    // It begins with the path.
    const why = error instanceof Error ? error.message : path
    return {
      name,
      state: 'warns',
      message: `${why}; files are looked at with Node, which is slower`,
      hint: 'build or install Orla anew on this machine',
    }
  }
}

function hintOf(hint: string | undefined): { hint?: string } {
  return hint === undefined ? {} : { hint }
}
