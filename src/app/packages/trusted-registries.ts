import { join } from 'node:path'
import { DEFAULT_REGISTRY } from '../../formats/index.ts'
import { openStateFile, type StateFile } from '../../platform/index.ts'

/** Whether a person said yes to this registry, on this machine. The default one needs no question. */
export function isTrusted(home: string, url: string): boolean {
  return url === DEFAULT_REGISTRY.url || read(home).includes(url)
}

export async function trustRegistry(home: string, url: string): Promise<void> {
  if (read(home).includes(url)) return
  await change(home, (trusted) => [...new Set([...trusted, url])].sort())
}

export async function distrustRegistry(home: string, url: string): Promise<void> {
  if (!read(home).includes(url)) return
  await change(home, (trusted) => trusted.filter((one) => one !== url))
}

async function change(home: string, next: (trusted: readonly string[]) => readonly string[]): Promise<void> {
  await fileOf(home).change((text) => `${JSON.stringify({ registries: next(parse(text)) }, null, 2)}\n`)
}

function fileOf(home: string): StateFile {
  return openStateFile(join(home, 'trusted-registries.json'))
}

function read(home: string): string[] {
  try {
    return parse(fileOf(home).read())
  } catch {
    return [] // unreadable: nothing is trusted until someone says so again
  }
}

/** Of what is damaged nothing is trusted either. */
function parse(text = '{}'): string[] {
  try {
    const content = JSON.parse(text) as { registries?: unknown } // checked below
    return Array.isArray(content.registries)
      ? content.registries.filter((one) => typeof one === 'string')
      : []
  } catch {
    return []
  }
}
