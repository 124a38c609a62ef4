// `npm run bench`: every figure as a ratio to a floor that is measured in the same run, in turns with it.
//   --quick      a short run, for a first look
//   --long       100,000 calls instead of 10,000 for the memory of a long run
//   --only NAME  one group of figures (repeatable)
// A whole run writes RESULTS.md; the others only print.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import * as calls from './figures/calls.mjs'
import * as capsules from './figures/capsules.mjs'
import * as http from './figures/http.mjs'
import * as install from './figures/install.mjs'
import * as memory from './figures/memory.mjs'
import * as scan from './figures/scan.mjs'
import * as start from './figures/start.mjs'
import { killAll, stopAll, within } from './lib/children.mjs'
import { describeMachine } from './lib/machine.mjs'
import { isMet, toMarkdown } from './lib/report.mjs'
import { makeScratch } from './lib/scratch.mjs'

const GROUPS = { start, calls, capsules, http, scan, memory, install }
const GROUP_MS = 180_000
const NOT_MEASURED = `## Budgets that are not measured here

Warm interpreters, search and statistics: they do not exist yet. Memory after 100,000 calls: \`--long\`.
`

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
})
const names = options.only ?? Object.keys(GROUPS)
const unknown = names.find((name) => !Object.hasOwn(GROUPS, name))
if (unknown !== undefined) {
  console.error(`no figures are called ${unknown}; there are ${Object.keys(GROUPS).join(', ')}`)
  process.exit(2)
}

// What is set where the bench runs must not change what is measured, neither the program nor a floor:
// NODE_EXTRA_CA_CERTS alone doubles the start of Node 20.
for (const name of Object.keys(process.env)) if (/^(ORLA_|NODE_|npm_)/.test(name)) delete process.env[name]

const scratch = makeScratch()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))
process.once('exit', () => {
  killAll()
  scratch.remove()
})

const machine = describeMachine(scratch)
const begun = performance.now()
const groups = []
for (const name of names) groups.push(await measure(name))
const text = [machine.heading(performance.now() - begun), toMarkdown(groups), NOT_MEASURED].join('\n')
console.log(text)
if (options.only === undefined && !options.quick) {
  writeFileSync(fileURLToPath(new URL('RESULTS.md', import.meta.url)), text)
}
process.exit(groups.some(({ failure }) => failure) ? 1 : 0)

/** One group that fails leaves the others alone. */
async function measure(name) {
  const { title, about, measure } = GROUPS[name]
  const from = performance.now()
  try {
    const limit = GROUP_MS * (options.long ? 10 : 1)
    const rows = await within(limit, title, measure({ scratch, ...options }))
    const judged = rows.map(isMet).filter((met) => met !== undefined)
    const seconds = Math.round((performance.now() - from) / 1_000)
    console.error(`${title}: ${seconds} s, budgets met: ${judged.filter(Boolean).length} of ${judged.length}`)
    return { title, about, rows }
  } catch (error) {
    console.error(`${title}: ${error.stack}`)
    return { title, failure: error.message }
  } finally {
    await stopAll()
  }
}
