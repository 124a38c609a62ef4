// `npm run soak`: many calls to one server: of programs, of a capsule and of a tool that does not exist. Reports
// memory, descriptors and latency as they go; status 1 when memory or descriptors have grown since the first tenth.
//   --calls N  how many (default 100,000; with much fewer the first tenth is still warming up)
//   --http     over HTTP instead of stdio
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { everyKind } from '../bench/lib/capsule-project.mjs'
import { killAll, stopAll } from '../bench/lib/children.mjs'
import { ask, openSession } from '../bench/lib/http-session.mjs'
import { openHttp, openStdio } from '../bench/lib/orla.mjs'
import { liveHeap, PROBED } from '../bench/lib/probe.mjs'
import { descriptors, launcherOf, resident } from '../bench/lib/process.mjs'
import { makeScratch } from '../bench/lib/scratch.mjs'
import { median, quantile } from '../bench/lib/stats.mjs'

const TENTHS = 10
const SAMPLES = 10
const MOST_MEMORY = 1.05
const SETTLE_MS = 10_000
// Of ten calls: seven that start a program, two to a capsule, one to nothing.
const KINDS = [
  'binary',
  'binary',
  'warm',
  'binary',
  'script',
  'binary',
  'missing',
  'binary',
  'warm',
  'script',
]

const { values: options } = parseArgs({
  options: { calls: { type: 'string', default: '100000' }, http: { type: 'boolean', default: false } },
})
const goal = Number(options.calls)
if (!Number.isInteger(goal) || goal < TENTHS * SAMPLES) {
  console.error(`--calls takes a whole number, at least ${TENTHS * SAMPLES}`)
  process.exit(2)
}
for (const name of Object.keys(process.env)) if (/^(ORLA_|NODE_|npm_)/.test(name)) delete process.env[name]

const scratch = makeScratch()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))
process.once('exit', () => {
  killAll()
  scratch.remove()
})

const server = await open()
console.log('    calls    memory  live heap  launcher  descriptors       p50        p99')
const tenths = []
for (let tenth = 1; tenth <= TENTHS; tenth++) tenths.push(await runTenth(tenth))
await stopAll()
process.exit(judge(tenths[0], tenths.at(-1)) ? 0 : 1)

async function open() {
  const project = everyKind(scratch)
  if (!options.http) {
    const orla = openStdio(scratch, project, PROBED)
    await orla.initialize()
    await orla.ask('tools/list')
    return { child: orla.child, call: (name) => orla.ask('tools/call', { name, arguments: {} }) }
  }
  const orla = await openHttp(scratch, project, PROBED)
  const session = await openSession(orla.url)
  const call = (name) => ask(orla.url, session, 'tools/call', { name, arguments: {} })
  return { child: orla.child, call }
}

/** Collections come and go, so a tenth is looked at more than once. */
async function runTenth(tenth) {
  const seen = []
  const memory = []
  for (let part = 0; part < SAMPLES; part++) {
    await calls(goal / TENTHS / SAMPLES, seen)
    memory.push(resident(server.child.pid))
  }
  const launcher = launcherOf(server.child.pid)
  const figures = {
    memory: median(memory),
    // Collecting garbage changes what is measured, so it is forced only where it is compared.
    heap: tenth === 1 || tenth === TENTHS ? await liveHeap(server.child) : undefined,
    launcher: launcher === undefined ? 0 : resident(launcher),
    descriptors: await settled(launcher, tenths[0]?.descriptors),
    p50: quantile(seen, 0.5),
    p99: quantile(seen, 0.99),
  }
  const cells = [
    ((goal / TENTHS) * tenth).toLocaleString('en').padStart(9),
    `${figures.memory.toFixed(1)} MB`.padStart(9),
    (figures.heap === undefined ? '–' : `${figures.heap.toFixed(1)} MB`).padStart(10),
    `${figures.launcher.toFixed(1)} MB`.padStart(9),
    String(figures.descriptors).padStart(12),
    `${figures.p50.toFixed(2)} ms`.padStart(11),
    `${figures.p99.toFixed(2)} ms`.padStart(10),
  ]
  console.log(cells.join(' '))
  return figures
}

/** Eight at once; each kind of call has its turn. Only programs count for latency: they are what most calls are. */
async function calls(count, seen) {
  let begun = 0
  const worker = async () => {
    while (begun < count) {
      const name = KINDS[begun++ % KINDS.length]
      const at = performance.now()
      await server.call(name).catch((error) => {
        if (name !== 'missing') throw error
      })
      if (name === 'binary') seen.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

/** Open descriptors of server and launcher; what closes a moment after the last answer gets that moment. */
async function settled(launcher, expected = 0) {
  const count = () => descriptors(server.child.pid) + (launcher === undefined ? 0 : descriptors(launcher))
  let lowest = count()
  for (const end = performance.now() + SETTLE_MS; lowest > expected && performance.now() < end; ) {
    await pause(100)
    const now = count()
    // The first time there is nothing to compare with: quiet is when nothing closes any more.
    if (expected === 0 && now >= lowest) break
    lowest = Math.min(lowest, now)
  }
  return lowest
}

function judge(first, last) {
  const growth = (last.memory + last.launcher) / (first.memory + first.launcher)
  const more = last.descriptors - first.descriptors
  const drift = last.p50 / first.p50
  console.log(`memory ${growth.toFixed(3)}× of that after a tenth (budget ${MOST_MEMORY}×)`)
  console.log(
    `live heap ${(last.heap / first.heap).toFixed(3)}×: what is left of the memory once garbage is gone`,
  )
  console.log(`descriptors ${more > 0 ? `${more} more` : 'no more'} than after a tenth`)
  console.log(
    `latency ${drift.toFixed(2)}× of that in the first tenth (not judged: the machine has its own drift)`,
  )
  return growth <= MOST_MEMORY && more <= 0
}
