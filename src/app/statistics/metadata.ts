import { join } from 'node:path'
import type { Statistics } from '../../catalog/index.ts'
import { measuresJson, statisticsJson } from '../../formats/index.ts'
import { type Catalog, isJsonObject, type Tool } from '../../model/index.ts'
import { readTextIfThere, removeFile, writeFileAtomic } from '../../platform/index.ts'

const METADATA = 'metadata.json'

/**
 * `metadata.json` beside the manifest of each installed package: what is known of it, for people and other
 * programs to read. Nothing reads it here. A folder that may not be written is left as it is, and one that
 * somebody placed or linked is theirs.
 */
export function writeMetadata(catalog: Catalog, statistics: Statistics): void {
  const packages = new Map<string, Tool[]>()
  for (const tool of catalog.tools.values()) {
    const { origin } = tool
    if (origin.kind !== 'package' || origin.package.receipt === undefined) continue
    packages.set(origin.folder, [...(packages.get(origin.folder) ?? []), tool])
  }
  for (const [folder, tools] of packages) {
    try {
      keep(join(folder, METADATA), metadataOf(tools, statistics))
    } catch {
      // A read-only folder, a full disk: what it would say is in the statistics.
    }
  }
}

function metadataOf(tools: readonly Tool[], statistics: Statistics): string | undefined {
  const [first] = tools
  if (first?.origin.kind !== 'package') return undefined
  const { version } = first
  const names = new Set(tools.map(({ name }) => name))
  const fits = (one: { tool: string; version: string }) => names.has(one.tool) && one.version === version
  const whole = statistics.together(fits)
  if (whole === undefined) return undefined
  const metadata = {
    v: 1,
    name: first.origin.package.name,
    version,
    ...measuresJson(whole),
    tools: statistics.all().filter(fits).map(statisticsJson),
  }
  return `${JSON.stringify(metadata, null, 2)}\n`
}

/** Nothing is written that is there already. */
function keep(file: string, text: string | undefined): void {
  const before = readTextIfThere(file)
  if (before === text) return
  if (text !== undefined) writeFileAtomic(file, text)
  else if (before !== undefined && isOurs(before)) removeFile(file)
}

/** A folder may hold another file of this name. */
function isOurs(text: string): boolean {
  try {
    const metadata: unknown = JSON.parse(text)
    return isJsonObject(metadata) && metadata.v === 1 && Array.isArray(metadata.tools)
  } catch {
    return false
  }
}
