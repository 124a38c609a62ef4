import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OrlaError } from '../model/index.ts'
import { openStateFile } from './state-file.ts'

/** Values that only their owner may read, by name. What another process stores is seen at once. */
export interface SecretFile {
  names(): readonly string[]
  get(name: string): string | undefined
  set(name: string, value: string): Promise<void>
  /** False when there was none. */
  remove(name: string): Promise<boolean>
}

/** `tell` hears that others could read the file, which is made private then. Without it the file is left as it is. */
export function openSecretFile(home: string, tell?: (message: string) => void): SecretFile {
  const file = openStateFile(join(home, 'secrets.json'))
  let isTold = false
  let known: { readonly text: string; readonly secrets: ReadonlyMap<string, string> } | undefined

  function read(): ReadonlyMap<string, string> {
    const text = file.read()
    if (text === undefined) return secretsOf('{}')
    if (tell !== undefined && !isTold) isTold = makePrivate(file.path, tell)
    return secretsOf(text)
  }

  function secretsOf(text: string): ReadonlyMap<string, string> {
    if (known?.text !== text) known = { text, secrets: parse(text, file.path) }
    return known.secrets
  }

  async function change(edit: (secrets: Map<string, string>) => void): Promise<void> {
    await file.change((text = '{}') => {
      const secrets = new Map(secretsOf(text))
      edit(secrets)
      const sorted = [...secrets].sort(([a], [b]) => (a < b ? -1 : 1))
      return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`
    })
  }

  return {
    names: () => [...read().keys()],
    get: (name) => read().get(name),
    set: (name, value) => change((secrets) => void secrets.set(name, value)),
    async remove(name) {
      if (!read().has(name)) return false
      await change((secrets) => void secrets.delete(name))
      return true
    },
  }
}

/** Whether something had to be told. */
function makePrivate(file: string, tell: (message: string) => void): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined || (stats.mode & 0o077) === 0) return false
  try {
    chmodSync(file, 0o600)
    tell(`${file} could be read by other users of this machine; it is private now`)
  } catch {
    tell(`${file} can be read by other users of this machine; \`chmod 600 ${file}\` makes it private`)
  }
  return true
}

/** What it says is never part of a message: half a value is a secret too. */
function parse(text: string, file: string): ReadonlyMap<string, string> {
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
      const entries: [string, unknown][] = Object.entries(content)
      return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
    }
  } catch {
    // Told below, without the words of the parser.
  }
  throw new OrlaError('E_FILE', `${file} is damaged`, {
    hint: 'remove it, and set the secrets again with `orla secret set NAME`',
  })
}
