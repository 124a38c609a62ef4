import { expect, it } from 'vitest'
import type { Catalog } from '../../model/index.ts'
import { restrictCatalog } from './restricted-catalog.ts'
import { listedAccess } from './tool-patterns.ts'

it('Q102: what belongs to a tool is seen by those who see the tool, also when it is not served just now', () => {
  const document = (tool: string) => ({
    uri: `orla://tool/${tool}/examples/a.md`,
    name: tool,
    mimeType: 'text/plain',
    file: '/x',
  })
  const prompt = (name: string) => ({ name, arguments: [], text: 'x' })
  const catalog: Catalog = {
    tools: new Map(),
    problems: [],
    documents: [document('acme.open'), document('acme.closed')],
    prompts: [prompt('acme.closed.p')],
  }
  const { documents, prompts } = restrictCatalog(catalog, listedAccess(['acme.open']))
  expect(documents).toEqual([document('acme.open')])
  expect(prompts).toEqual([])
})
