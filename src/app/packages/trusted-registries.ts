import { join } from 'node:path'
import { DEFAULT_REGISTRY } from '../../formats/index.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from '../../platform/index.ts'

/** Whether a person said yes to this registry, on this machine. The default one needs no question. */
export function isTrusted(home: string, url: string): boolean {
  return url === DEFAULT_REGISTRY.url || read(home).includes(url)
}

export function trustRegistry(home: string, url: string): void {
  const trusted = read(home)
  if (trusted.includes(url)) return
  makeFolder(home)
  writeFileAtomic(
    fileIn(home),
    `${JSON.stringify({ registries: [...trusted, url].sort() }, null, 2)}\n`,
    0o600,
  )
}

export function distrustRegistry(home: string, url: string): void {
  const trusted = read(home)
  if (!trusted.includes(url)) return
  writeFileAtomic(
    fileIn(home),
    `${JSON.stringify({ registries: trusted.filter((one) => one !== url) }, null, 2)}\n`,
    0o600,
  )
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
