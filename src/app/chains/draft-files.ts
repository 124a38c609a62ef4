import { join } from 'node:path'
import { type Draft, mappingOf } from '../../catalog/index.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from '../../platform/index.ts'

export interface DraftPackage {
  readonly toolId: string
  readonly version: string
  readonly draft: Draft
  /** How often it was seen, in words. */
  readonly evidence: string
}

/** The files of a chain package, ready to be read, tried and changed. */
function draftFiles({ toolId, version, draft, evidence }: DraftPackage): Record<string, string> {
  const names = draft.steps.map(({ tool }) => tool)
  const what = `Calls ${names.slice(0, -1).join(', ')} and then ${names.at(-1)}, each with what came before.`
  const manifest = {
    toolId,
    name: draft.steps.map(({ step }) => step.replaceAll('_', ' ')).join(', then '),
    version,
    description: what,
    capabilities: ['chain'],
    chain: draft.steps.map((one) => ({ step: one.step, tool: one.tool, inputMapping: mappingOf(one) })),
    input_schema: draft.inputSchema,
    output_schema: draft.outputSchema,
    meta: { tags: ['draft'] },
  }
  const readme = `# ${toolId}\n\n${what}\n\nA draft from recorded calls: ${evidence} Read manifest.json before you use it, then\n\n\`\`\`sh\norla install --local . --link   # serve it from here\norla call ${toolId}\norla pack .\n\`\`\`\n`
  return { 'manifest.json': `${JSON.stringify(manifest, null, 2)}\n`, 'README.md': readme }
}

/** Nothing that is there is touched: somebody may have worked on it. */
export function writeDraft(folder: string, draft: DraftPackage): 'written' | 'unchanged' | 'other' {
  const files = draftFiles(draft)
  const there = readTextIfThere(join(folder, 'manifest.json'))
  if (there !== undefined) return there === files['manifest.json'] ? 'unchanged' : 'other'
  makeFolder(folder)
  for (const [name, content] of Object.entries(files)) writeFileAtomic(join(folder, name), content)
  return 'written'
}
