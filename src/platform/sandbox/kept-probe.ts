import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxHost } from './probe.ts'

const KEPT = 'probe.json'

/** What was found before under the same circumstances. */
export function readKept(folder: string, key: string): SandboxHost | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(join(folder, KEPT), 'utf8'))
    // Orla wrote it, into a folder of its own; another key means another writer.
    const { key: keptKey, host } = kept as { key: string; host: SandboxHost }
    return keptKey === key ? host : undefined
  } catch {
    return undefined
  }
}

export function keep(folder: string, key: string, host: SandboxHost): SandboxHost {
  writeFileSync(join(folder, KEPT), JSON.stringify({ key, host }), { mode: 0o600 })
  return host
}
