// `npm run bench`: every figure as a ratio to a floor that is measured in the same run, in turns with it.
//   --quick      a short run, for a first look
//   --only NAME  one group of figures (repeatable)
//   --against COMMAND or --against URL  only calls, in turns with another MCP server over stdio or HTTP; in a command
//                {tools} and {project} stand for the folders that Orla serves. Their tool: --against-tool NAME, its
//                arguments: --against-arguments JSON. Ours: --our-tool script, binary or warm (a capsule).
// A whole run writes RESULTS.md; the others only print. Memory after many calls: `npm run soak`.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import * as against from './figures/against.mjs'
import * as calls from './figures/calls.mjs'
import * as capsules from './figures/capsules.mjs'
import * as chains from './figures/chains.mjs'
import * as http from './figures/http.mjs'
import * as install from './figures/install.mjs'
import * as integrity from './figures/integrity.mjs'
import * as interpreters from './figures/interpreters.mjs'
import * as memory from './figures/memory.mjs'
import * as places from './figures/places.mjs'
import * as ranking from './figures/ranking.mjs'
import * as records from './figures/records.mjs'
import * as sandbox from './figures/sandbox.mjs'
import * as scan from './figures/scan.mjs'
import * as search from './figures/search.mjs'
import * as start from './figures/start.mjs'
import * as tests from './figures/tests.mjs'
import { killAll, stopAll, within } from './lib/children.mjs'
import { describeMachine } from './lib/machine.mjs'
import { isMet, toMarkdown } from './lib/report.mjs'
import { makeScratch } from './lib/scratch.mjs'

const FIGURES = {
  start,
  calls,
  interpreters,
  capsules,
  places,
  chains,
  http,
  scan,
  memory,
  records,
  install,
  integrity,
  search,
  ranking,
  tests,
  sandbox,
}
const COMPARISON = { against }
const GROUP_MS = 180_000
const NOT_MEASURED = `## Budgets that are not measured here

Memory after 100,000 calls: \`npm run soak\`. Calls against the Go reference or any other server:
\`npm run bench -- --against COMMAND --against-tool NAME\`.
`

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    against: { type: 'string' },
    'against-tool': { type: 'string', default: 'binary' },
    'against-arguments': { type: 'string', default: '{}' },
    'our-tool': { type: 'string' },
  },
})
const other = options.against === undefined ? undefined : readOther()
const known = other ? COMPARISON : FIGURES
const names = options.only ?? Object.keys(known)
const unknown = names.find((name) => !Object.hasOwn(known, name))
if (unknown !== undefined) {
  console.error(`no figures are called ${unknown}; there are ${Object.keys(known).join(', ')}`)
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
if (!other && options.only === undefined && !options.quick) {
  writeFileSync(fileURLToPath(new URL('RESULTS.md', import.meta.url)), text)
}
process.exit(groups.some(({ failure }) => failure) ? 1 : 0)

/** One group that fails leaves the others alone. */
async function measure(name) {
  const { title, about, measure } = known[name]
  const from = performance.now()
  try {
    const rows = await within(GROUP_MS, title, measure({ scratch, quick: options.quick, ...other }))
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

/** What `--against` and the words beside it ask for. */
function readOther() {
  const { against, 'against-tool': tool, 'against-arguments': input, 'our-tool': ours } = options
  return { against, tool, ours, input: JSON.parse(input) }
}
