import { join, resolve } from 'node:path'
import {
  chainName,
  createDiscovery,
  type DraftStep,
  draftOf,
  findSequences,
  isSameChain,
  type Sequence,
  timesOf,
} from '../../catalog/index.ts'
import { hashOf, parseCallRecord } from '../../formats/index.ts'
import type { CallRecord, Catalog, Config, Json } from '../../model/index.ts'
import { isFolder } from '../../platform/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'
import { openCalls } from './recorder.ts'
import { writeDraft } from './write-draft.ts'

export interface SuggestRequest {
  /** Milliseconds since 1970. */
  readonly since?: number | undefined
  /** Where drafts are written. */
  readonly folder: string
  readonly dryRun: boolean
}

export interface Suggestions {
  readonly mode: Config['recordCalls']
  /** Calls that were looked at. */
  readonly calls: number
  readonly suggestions: readonly Suggestion[]
}

export interface Suggestion {
  readonly tool_id: string
  readonly version: string
  readonly score: number
  readonly seen: number
  readonly different: number
  /** Calls of its first tool, in any company. */
  readonly first_tool_calls: number
  readonly first_at: string
  readonly last_at: string
  readonly steps: readonly DraftStep[]
  /** `known`: a chain that is served does it already; `other`: something else lies where the draft belongs. */
  readonly status: 'written' | 'unchanged' | 'other' | 'known' | 'not written'
  readonly folder: string | null
}

/** Looks for calls that belong together in what was recorded, and writes a chain for each such sequence. */
export async function suggestChains(
  world: World,
  config: ConfigRequest,
  request: SuggestRequest,
): Promise<Suggestions> {
  const loaded = await loadConfig(world, config)
  const mode = loaded.config.recordCalls
  const { since = 0 } = request
  // Nothing was ever recorded: nothing is made here either.
  if (!isFolder(join(loaded.home, 'calls'))) return { mode, calls: 0, suggestions: [] }
  const { file, hash } = openCalls(loaded.home)
  const records = file.read().flatMap((line): CallRecord[] => {
    const record = parseCallRecord(line)
    return record === undefined || record.at < since ? [] : [record]
  })
  const { catalog } = await createDiscovery().scan(whereOf(loaded))
  const folder = resolve(world.cwd, request.folder)
  const named = new Set<string>()
  const suggestions = findSequences(records)
    // A chain of tools that are gone could not be served.
    .filter(({ tools }) => tools.every((name) => catalog.tools.has(name)))
    .map((sequence) => suggest(sequence, { catalog, hash, folder, named, dryRun: request.dryRun }))
  return { mode, calls: records.length, suggestions }
}

interface Around {
  readonly catalog: Catalog
  readonly hash: (text: string) => string
  readonly folder: string
  /** Names that are given to others. */
  readonly named: Set<string>
  readonly dryRun: boolean
}

function suggest(sequence: Sequence, { catalog, hash, folder, named, dryRun }: Around): Suggestion {
  const { tools } = catalog
  const draft = draftOf(sequence, { tools, hash: (value: Json) => hashOf(value, { hash }) })
  const identity = identityOf(draft.steps, catalog, named)
  const { first, last } = timesOf(sequence.occurrences)
  const place = join(folder, identity.toolId)
  const about = {
    tool_id: identity.toolId,
    version: identity.version,
    score: sequence.score,
    seen: sequence.occurrences.length,
    different: sequence.support,
    first_tool_calls: sequence.firstCalls,
    first_at: new Date(first).toISOString(),
    last_at: new Date(last).toISOString(),
    steps: draft.steps,
  }
  if (identity.isKnown) return { ...about, status: 'known', folder: null }
  if (dryRun) return { ...about, status: 'not written', folder: null }
  const evidence = `seen ${about.seen} times, ${about.different} of them with different arguments.`
  return { ...about, status: writeDraft(place, { ...identity, draft, evidence }), folder: place }
}

interface Identity {
  readonly toolId: string
  readonly version: string
  readonly isKnown: boolean
}

/** A chain of the same tools is the one that is meant: what differs from it is its next version. */
function identityOf(steps: readonly DraftStep[], { tools }: Catalog, named: Set<string>): Identity {
  const names = JSON.stringify(steps.map(({ tool }) => tool))
  for (const { name, version, run } of tools.values()) {
    if (run.kind !== 'chain' || JSON.stringify(run.steps.map(({ tool }) => tool)) !== names) continue
    if (isSameChain(run.steps, steps)) return { toolId: name, version, isKnown: true }
    return { toolId: name, version: nextVersion(version), isKnown: false }
  }
  const base = chainName(steps.map(({ step }) => step))
  for (let number = 1; ; number++) {
    const toolId = number === 1 ? base : `${base}_${number}`
    if (tools.has(toolId) || named.has(toolId)) continue
    named.add(toolId)
    return { toolId, version: '0.1.0', isKnown: false }
  }
}

function nextVersion(version: string): string {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? []
  return `${major}.${Number(minor) + 1}.0`
}
