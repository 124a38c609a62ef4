import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capsuleProject } from '../lib/capsule-project.mjs'
import { openStdio } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds, timeEach } from '../lib/rounds.mjs'

export const title = 'Chains'
export const about =
  'One call of a chain against as many calls of its tool, one after the other. What a client saves beside that, turns of a model, is not counted.'
const LENGTHS = [1, 10, 100]

export async function measure({ scratch, quick }) {
  const project = capsuleProject(scratch, 'node', ['warm', 'idle'])
  for (const length of LENGTHS) writeChain(project, length)
  const orla = openStdio(scratch, project)
  await orla.initialize()
  await orla.call('warm')
  const rows = []
  for (const length of LENGTHS) {
    const name = nameOf(length)
    await orla.call(name)
    const count = Math.ceil((quick ? 100 : 400) / length)
    const figures = await rounds(quick ? 4 : 25, {
      chain: () => timeEach(count, 1, () => orla.call(name)),
      async calls() {
        const each = await timeEach(count * length, 1, () => orla.call('warm'))
        return each * length
      },
    })
    rows.push(
      ratio({
        figure: `a chain of ${length} ${length === 1 ? 'step' : 'steps'}`,
        against: `${length} ${length === 1 ? 'call' : 'calls'} of the same capsule`,
        unit: 'ms',
        value: figures.chain,
        floor: figures.calls,
        // One step is a call and a half; with more the wire is saved, and that must show.
        ...(length > 1 && { most: 1 }),
      }),
    )
  }
  await orla.stop()
  return rows
}

function nameOf(length) {
  return `bench.chain.of_${length}`
}

/** Every step takes what the one before it gave. */
function writeChain(project, length) {
  const folder = join(project, 'tools', nameOf(length))
  mkdirSync(folder, { recursive: true })
  const chain = Array.from({ length }, (_, index) => ({
    step: `s${index}`,
    tool: 'warm',
    inputMapping: index === 0 ? { given: '$.input' } : { given: `$.s${index - 1}` },
  }))
  const manifest = {
    toolId: nameOf(length),
    name: 'Chain',
    version: '1.0.0',
    description: 'Calls a capsule again and again.',
    capabilities: [],
    chain,
    input_schema: { type: 'object' },
    output_schema: {},
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
}
