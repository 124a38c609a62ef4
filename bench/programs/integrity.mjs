// Makes the look that Orla makes before each call of an installed package, by Orla's own code: what `check` of the
// runtime asks. Usage: integrity PROJECT HOME TOOL. Each line `COUNT GAP` on stdin looks COUNT times with GAP
// milliseconds in between, and is answered with the milliseconds that one look took; a COUNT of 0 looks once and is
// answered with 1 when that look would deny the call, 0 when not. Bundled before it runs.
import { createInterface } from 'node:readline'
import { loadConfig } from '../../src/app/config.ts'
import { openIntegrity } from '../../src/app/integrity/integrity.ts'
import { openOfferedTools } from '../../src/app/offered-tools.ts'
import { whereOf } from '../../src/app/where.ts'
import { createDiscovery } from '../../src/catalog/index.ts'

const [, , project, home, name] = process.argv
const world = { env: { PATH: process.env.PATH, ORLA_HOME: home }, cwd: project, version: '0.0.0' }
const loaded = await loadConfig(world, { flags: {} })
const integrity = openIntegrity(loaded.home)
const where = whereOf(loaded, openOfferedTools(loaded.home), integrity)
const { catalog } = await createDiscovery().scan(where)
const tool = catalog.tools.get(name)
if (tool === undefined) throw new Error(`${name} is not served: ${JSON.stringify(catalog.problems)}`)

for await (const line of createInterface({ input: process.stdin })) {
  const [count, gap] = line.split(' ').map(Number)
  console.log(count === 0 ? denies() : look(count, gap))
}

function denies() {
  return integrity.before(tool) === undefined ? 0 : 1
}

/** Only the looks are timed. What they find is not to be optimised away, and is nothing: the package is as it was. */
function look(count, gap) {
  if (gap === 0) {
    const begun = performance.now()
    for (let at = 0; at < count; at++) expectNothing(integrity.before(tool))
    return (performance.now() - begun) / count
  }
  let spent = 0
  for (let at = 0; at < count; at++) {
    rest(gap)
    const begun = performance.now()
    expectNothing(integrity.before(tool))
    spent += performance.now() - begun
  }
  return spent / count
}

function expectNothing(difference) {
  if (difference !== undefined)
    throw new Error(`what was timed is no look at an unchanged package: ${difference}`)
}

function rest(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
