import { nodeDoingNothing } from '../lib/floors.mjs'
import { openStdio, timeOrla, timeProgram } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'
import { manyTools } from '../lib/scratch.mjs'

export const title = 'Start-up'
const SIZES = [
  [1, 2],
  [1_000, 2.5],
  [10_000, 5],
]

/** From nothing to a first answer, against a Node that does nothing. */
export async function measure({ scratch, quick }) {
  const hundred = manyTools(scratch, 100)
  const count = quick ? 4 : 15
  const rows = [
    await compare(count, '`orla --version`', () => timeOrla(scratch, hundred, ['--version'])),
    await compare(count, '`orla list` with 100 tools', () => timeOrla(scratch, hundred, ['list']), 1.35),
  ]
  for (const [size, most] of SIZES) {
    const project = manyTools(scratch, size)
    const figure = `start to first answered \`tools/list\`, ${size.toLocaleString('en')} tool${size === 1 ? '' : 's'}`
    rows.push(await compare(count, figure, () => firstList(scratch, project, size), most))
  }
  return rows
}

async function compare(count, figure, orla, most) {
  const floor = () => timeProgram(process.execPath, nodeDoingNothing)
  const figures = await rounds(count, { orla, floor })
  return ratio({
    figure,
    against: '`node -e 0`',
    unit: 'ms',
    value: figures.orla,
    floor: figures.floor,
    ...(most && { most }),
  })
}

async function firstList(scratch, project, size) {
  const begun = performance.now()
  const orla = openStdio(scratch, project)
  await orla.initialize()
  const { result, at } = await orla.ask('tools/list')
  await orla.stop()
  if (result.tools.length !== size) throw new Error(`${result.tools.length} tools instead of ${size}`)
  return at - begun
}
