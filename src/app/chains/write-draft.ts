import { join } from 'node:path'
import { type Draft, mappingOf } from '../../catalog/index.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from '../../platform/index.ts'
import { chainFiles } from './chain-files.ts'

export interface DraftPackage {
  readonly toolId: string
  readonly version: string
  readonly draft: Draft
  /** How often it was seen, in words. */
  readonly evidence: string
}

/** Nothing that is there is touched: somebody may have worked on it. */
export function writeDraft(
  folder: string,
  { toolId, version, draft, evidence }: DraftPackage,
): 'written' | 'unchanged' | 'other' {
  const { steps, ...schemas } = draft
  const files = chainFiles({
    toolId,
    version,
    description: `Calls ${steps.map(({ tool }) => tool).join(', then ')}, each with what came before.`,
    steps: steps.map((one) => ({ step: one.step, tool: one.tool, inputMapping: mappingOf(one) })),
    ...schemas,
    meta: { tags: ['draft'] },
    readme: `A draft from recorded calls: ${evidence} Read manifest.json before you use it.`,
  })
  const there = readTextIfThere(join(folder, 'manifest.json'))
  if (there !== undefined) return there === files['manifest.json'] ? 'unchanged' : 'other'
  makeFolder(folder)
  for (const [name, content] of Object.entries(files)) writeFileAtomic(join(folder, name), content)
  return 'written'
}
