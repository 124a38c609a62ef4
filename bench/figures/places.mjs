import { LANGUAGES } from '../lib/capsule-project.mjs'
import { openTrio } from '../lib/capsule-trio.mjs'
import { ANYWHERE, PLACES, put, whyNoPlaces } from '../lib/places.mjs'
import { descendantsOf } from '../lib/process.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'
import { sums } from '../lib/stats.mjs'

export const title = 'Capsules in fixed places'
export const about = `The serial calls of above, with every program held on one of two processors, in all ways there are, and the floor in the
same way. Left to themselves, the two programs of a floor mostly come to run on one processor, where nobody has to be woken on the
other, and the three of a call through Orla on both. Here both sides are woken alike.`

export async function measure({ scratch, quick }) {
  const reason = whyNoPlaces()
  if (reason !== undefined) throw new Error(reason)
  const rows = []
  for (const language of Object.keys(LANGUAGES)) rows.push(...(await inEachPlace(scratch, quick, language)))
  return rows
}

async function inEachPlace(scratch, quick, language) {
  const trio = await openTrio(scratch, quick, language)
  const capsule = descendantsOf(trio.orla.pid, LANGUAGES[language].file)
  const rows = []
  try {
    for (const { where, ...processors } of PLACES) {
      put(process.pid, '0')
      put(trio.orla.pid, `${processors.orla}`)
      for (const pid of capsule) put(pid, `${processors.capsule}`)
      put(trio.pipe.pid, `${processors.pipe}`)
      put(trio.echo.pid, `${processors.echo}`)
      const figures = await rounds(quick ? 4 : 15, trio.contenders(200, 1))
      rows.push(
        ratio({
          figure: `call of ${LANGUAGES[language].what} over stdio, serial, ${where}`,
          against: 'the same pipe without Orla + bare MCP echo',
          unit: 'ms',
          value: figures.orla,
          floor: sums(figures.pipe, figures.echo),
        }),
      )
    }
  } finally {
    put(process.pid, ANYWHERE)
    await trio.stop()
  }
  return rows
}
