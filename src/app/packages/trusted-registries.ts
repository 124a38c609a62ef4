import { join } from 'node:path'
import { DEFAULT_REGISTRY } from '../../formats/index.ts'
import { readTextIfThere, withFolderLock, writeFileAtomic } from '../../platform/index.ts'

/** Whether a person said yes to this registry, on this machine. The default one needs no question. */
export function isTrusted(home: string, url: string): boolean {
  return url === DEFAULT_REGISTRY.url || read(home).includes(url)
}

export async function trustRegistry(home: string, url: string): Promise<void> {
  await change(home, (trusted) => (trusted.includes(url) ? trusted : [...trusted, url].sort()))
}

export async function distrustRegistry(home: string, url: string): Promise<void> {
  await change(home, (trusted) => trusted.filter((one) => one !== url))
}

async function change(home: string, next: (trusted: readonly string[]) => readonly string[]): Promise<void> {
  await withFolderLock(join(home, 'trust-lock'), async () => {
    const trusted = read(home)
    const registries = next(trusted)
    if (registries.join('\n') === trusted.join('\n')) return
    writeFileAtomic(fileIn(home), `${JSON.stringify({ registries }, null, 2)}\n`, 0o600)
  })
}

function fileIn(home: string): string {
  return join(home, 'trusted-registries.json')
}

function read(home: string): string[] {
  try {
    const content = JSON.parse(readTextIfThere(fileIn(home)) ?? '{}') as { registries?: unknown } // checked below
    return Array.isArray(content.registries)
      ? content.registries.filter((one) => typeof one === 'string')
      : []
  } catch {
    return [] // damaged: nothing is trusted until someone says so again
  }
}
