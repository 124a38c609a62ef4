import { hiderOf, nearest, OrlaError } from '../model/index.ts'
import { type LogSink, openSecretFile, type SecretFile } from '../platform/index.ts'
import { type ConfigRequest, locateProject, type Project } from './config.ts'
import type { World } from './world.ts'

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/

/** The secrets of a program that hands them out, and keeps what it handed out to itself. */
export interface Secrets {
  /** The value of the variable of that name, else what was stored. An empty variable counts as unset. */
  readonly of: (name: string) => string | undefined
  /** Another value that nobody shall read in the log. */
  readonly remember: (value: string) => void
  /** The text without what was handed out. */
  readonly hide: (text: string) => string
  /** Tells whether a text holds a value that was handed out or is stored by now, however it is spelled. */
  readonly finder: () => (text: string) => boolean
  /** A log without the values that were handed out, however a tool or a server spells them. */
  readonly keptFrom: (sink: LogSink) => LogSink
}

/** `tell` hears when others could read what is stored. */
export function openSecrets(
  world: World,
  { home }: Pick<Project, 'home'>,
  tell?: (message: string) => void,
): Secrets {
  const stored = openSecretFile(home, tell)
  const known = new Set<string>()
  let hide = hiderOf(known)
  const remember = (value: string) => {
    if (known.has(value)) return
    known.add(value)
    hide = hiderOf(known)
  }
  return {
    of(name) {
      const value = variableOf(world, name) || storedIn(stored, name)
      if (value !== undefined) remember(value)
      return value
    },
    remember,
    hide: (text) => hide(text),
    finder() {
      for (const name of storedNames(stored)) {
        const value = storedIn(stored, name)
        if (value !== undefined) remember(value)
      }
      return (text) => hide(text) !== text
    },
    keptFrom: (sink) => ({
      ...sink,
      write: (lines) => sink.write(hide(lines)),
      add: (make) =>
        sink.add((lines) => {
          const begin = lines.size()
          make(lines)
          if (known.size > 0) lines.rewrite(begin, hide)
        }),
    }),
  }
}

/** `constructor` is no variable, though every object has one; Orla's own are for nobody else. */
function variableOf({ env }: World, name: string): string | undefined {
  return Object.hasOwn(env, name) && !name.startsWith('ORLA_') ? env[name] : undefined
}

/** Of a file that cannot be read nothing is known; whoever sets a secret is told what is wrong with it. */
function storedIn(file: SecretFile, name: string): string | undefined {
  try {
    return file.get(name)
  } catch (error) {
    if (error instanceof OrlaError) return undefined
    throw error
  }
}

function storedNames(file: SecretFile): readonly string[] {
  try {
    return file.names()
  } catch (error) {
    if (error instanceof OrlaError) return []
    throw error
  }
}

export async function setSecret(
  world: World,
  config: ConfigRequest,
  name: string,
  ask: () => Promise<string>,
  tell: (message: string) => void,
): Promise<{ readonly isOverridden: boolean }> {
  if (!NAME.test(name)) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(name)} is not a name for a secret`, {
      hint: 'letters, digits, `_`, `.` and `-`, and no digit first; the value is read from standard input',
    })
  }
  const value = await ask()
  if (value === '') {
    throw new OrlaError('E_USAGE', `there is no value for \`${name}\``, {
      hint: `type it when asked, or pipe it in: printf %s "$TOKEN" | orla secret set ${name}`,
    })
  }
  await secretsOf(world, config, tell).set(name, value)
  return { isOverridden: Boolean(variableOf(world, name)) }
}

export interface ListedSecret {
  readonly name: string
  /** A variable of the same name is set here, and wins. */
  readonly isOverridden: boolean
}

export function listSecrets(
  world: World,
  config: ConfigRequest,
  tell: (message: string) => void,
): readonly ListedSecret[] {
  const names = secretsOf(world, config, tell).names()
  return names.map((name) => ({ name, isOverridden: Boolean(variableOf(world, name)) }))
}

export async function removeSecret(
  world: World,
  config: ConfigRequest,
  name: string,
  tell: (message: string) => void,
): Promise<void> {
  const secrets = secretsOf(world, config, tell)
  if (await secrets.remove(name)) return
  const close = nearest(name, secrets.names())
  throw new OrlaError('E_NOT_FOUND', `no secret \`${name}\` is stored`, {
    hint: close === undefined ? '`orla secret list` shows their names' : `did you mean \`${close}\`?`,
  })
}

function secretsOf(world: World, config: ConfigRequest, tell: (message: string) => void) {
  return openSecretFile(locateProject(world, config).home, tell)
}
