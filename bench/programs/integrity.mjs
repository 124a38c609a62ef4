// Makes the look that Orla makes before each call of an installed package, by Orla's own code: what `check` of the
// runtime asks, in a server that stays. Usage: integrity PROJECT HOME TOOL PROGRAM. Each line on stdin is a COUNT: it
// looks so many times, and is answered with the milliseconds that one look took. A second number says what comes before
// each: 1, a start of PROGRAM; more, a rest of so many milliseconds. 0 looks once and is answered with 1 when that look would deny the call, 0 when not; -1 is answered with
// the milliseconds of processor time that the look after a call takes. Bundled before it runs.
import { createInterface } from 'node:readline'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { loadConfig } from '../../src/app/config.ts'
import { openIntegrity } from '../../src/app/integrity/integrity.ts'
import { openOfferedTools } from '../../src/app/offered-tools.ts'
import { whereOf } from '../../src/app/where.ts'
import { createDiscovery } from '../../src/catalog/index.ts'
import { rawSpawn } from '../lib/floors.mjs'

/** As short as a call that starts a program can be: how long it took decides how much is looked at. */
const CALL_MS = 0.9
const DUE_MS = 1_050
/** More than it takes to look at everything. */
const TURNS = 200

const [, , project, home, name, program] = process.argv
const world = { env: { PATH: process.env.PATH, ORLA_HOME: home }, cwd: project, version: '0.0.0' }
const loaded = await loadConfig(world, { flags: {} })
const log = { warn: (message) => console.error(message) }
const integrity = openIntegrity(loaded.home, { log })
const where = whereOf(loaded, openOfferedTools(loaded.home), integrity)
const { catalog } = await createDiscovery().scan(where)
const tool = catalog.tools.get(name)
if (tool === undefined) throw new Error(`${name} is not served: ${JSON.stringify(catalog.problems)}`)

for await (const line of createInterface({ input: process.stdin })) {
  const [count, before = 0] = line.split(' ').map(Number)
  console.log(await (count === 0 ? denies() : count < 0 ? afterwards() : look(count, before)))
}

async function denies() {
  return (await integrity.before(tool)) === undefined ? 0 : 1
}

/** Only the looks are timed. What they find is not to be optimised away, and is nothing: the package is as it was. */
async function look(count, before) {
  let spent = 0
  for (let at = 0; at < count; at++) {
    if (before === 1) await rawSpawn(program)
    else if (before > 1) await pause(before)
    const begun = performance.now()
    const looked = integrity.before(tool)
    // As the runtime does: who has the answer does not wait for it.
    expectNothing(looked instanceof Promise ? await looked : looked)
    spent += performance.now() - begun
    integrity.after(tool, CALL_MS)
  }
  return spent / count
}

/** Compared with as many turns of the event loop in which nothing is due. */
async function afterwards() {
  await pause(DUE_MS)
  const due = await turning()
  return Math.max(0, due - (await turning()))
}

async function turning() {
  expectNothing(await integrity.before(tool))
  integrity.after(tool, CALL_MS)
  const begun = process.cpuUsage()
  for (let at = 0; at < TURNS; at++) await turn()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1_000
}

function expectNothing(difference) {
  if (difference !== undefined)
    throw new Error(`what was timed is no look at an unchanged package: ${difference}`)
}
