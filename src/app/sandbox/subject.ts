import { createDiscovery } from '../../catalog/index.ts'
import { type Command, commandsOf, nearest, OrlaError, type Tool } from '../../model/index.ts'
import type { Subject } from '../../runtime/index.ts'
import type { LoadedConfig } from '../config.ts'
import { whereOf } from '../where.ts'

/** What a name means to those who ask how it is held. */
export interface FoundSubject {
  readonly subject: Subject
  readonly version: string
  /** Undefined where nothing of it runs here: it is reached over the network, or made of other tools. */
  readonly command: Command | undefined
  readonly timeoutMs: number | undefined
  /** Of a chain, which runs nothing itself: the tools it calls, each held by itself. */
  readonly calls?: readonly string[]
}

/** A tool, or a package whose tools have other names. */
export async function findSubject(loaded: LoadedConfig, name: string): Promise<FoundSubject> {
  const { catalog, capsules } = await createDiscovery().scan(whereOf(loaded))
  const all = [...catalog.tools.values()]
  const tool =
    catalog.tools.get(name) ??
    all.find(({ origin }) => origin.kind === 'package' && origin.package.name === name)
  if (tool !== undefined) return fromTool(tool)
  // Nobody has asked it yet what it offers.
  const capsule = capsules.find((one) => one.name === name)
  if (capsule?.origin !== undefined) {
    const { version, command, origin } = capsule
    return { subject: { name, origin, stays: true }, version, command, timeoutMs: undefined }
  }
  const close = nearest(name, [...catalog.tools.keys()])
  throw new OrlaError('E_NOT_FOUND', `there is no tool or package \`${name}\``, {
    hint: close === undefined ? '`orla list` shows what is there' : `did you mean \`${close}\`?`,
  })
}

function fromTool({ name, version, origin, run }: Tool): FoundSubject {
  const [command] = commandsOf(run)
  return {
    subject: { name, origin, stays: run.kind === 'capsule' },
    version,
    command,
    timeoutMs: run.timeoutMs,
    ...(run.kind === 'chain' && { calls: [...new Set(run.steps.map((step) => step.tool))] }),
  }
}
