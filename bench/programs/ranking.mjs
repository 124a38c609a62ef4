// Scores tools and chooses implementations in one process, and prints what that took: { rank: [ms], search: [ms],
// choose: [µs] }. Bundled before it runs, because it uses parts of the program that no command shows alone.
import { createChooser, rankAll } from '../../src/catalog/index.ts'
import { buildSearchIndex, findDocuments } from '../../src/formats/index.ts'

const [, , roundsWanted = '20'] = process.argv
const ROUNDS = Number(roundsWanted)
const TOOLS = 10_000
const CHOICES = 1_000
const WORDS = ['weather', 'invoices', 'pictures', 'archives', 'calendars', 'translations']
const ASKED = ['invoice', 'picture', 'wether', 'read some translation', 'archive', 'calendar']
const now = Date.now()

const tools = Array.from({ length: TOOLS }, (_, index) => ({
  name: `tool-${index}`,
  version: '1.0.0',
  description: `Works with ${WORDS[index % 6]} of kind ${index % 97}`,
  keywords: [WORDS[index % 6]],
  capabilities: [],
  fit: { value: 1, words: '' },
  evidence: statistics(`tool-${index}`, null, index),
}))
const index = buildSearchIndex(tools)
const candidates = ['a', 'b', 'c'].map((id) => ({ id, kind: 'local' }))
const chooser = createChooser({
  settings: () => ({ choose: 'on', explore: 2, coolDownMs: 30_000 }),
  history: () => candidates.map(({ id }, at) => statistics('it', id, at)),
})

// One after the other: what one leaves to be collected is not to be paid by the next.
const search = repeat((round) => findDocuments([index], ASKED[round % ASKED.length]))
const choose = repeat(() => {
  for (let i = 0; i < CHOICES; i++) chooser.order({ name: 'it', version: '1.0.0' }, candidates)
})
const rank = repeat(() => rankAll(tools, now, 50))
console.log(JSON.stringify({ rank, search, choose: choose.map((ms) => (ms * 1_000) / CHOICES) }))

/** What each round took; the first one warms up. */
function repeat(work) {
  return Array.from({ length: ROUNDS + 1 }, (_, round) => time(() => work(round))).slice(1)
}

/** Milliseconds on a processor: what else runs on the machine does not count. */
function time(work) {
  const begun = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1_000
}

function statistics(tool, implementation, seed) {
  const p50Ms = 1 + (seed % 500)
  return {
    tool,
    version: '1.0.0',
    implementation,
    count: 10 + (seed % 1_000),
    recent: { count: 10 + (seed % 1_000), errors: seed % 7 },
    latency: { p50Ms, p95Ms: 2 * p50Ms, p99Ms: (2 + (seed % 9)) * p50Ms },
    failuresInARow: 0,
    lastAt: now,
    tests: { passed: seed % 9, failed: seed % 2, at: now - seed * 60_000, latency: null },
  }
}
