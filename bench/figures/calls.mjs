import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openEcho, openWorker, rawSpawn } from '../lib/floors.mjs'
import { openStdio } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds, timeEach } from '../lib/rounds.mjs'
import { twoTools } from '../lib/scratch.mjs'
import { sums } from '../lib/stats.mjs'

export const title = 'Calls over stdio'
const WIDTHS = { serial: 1, '8 at once': 8 }
const TOOLS = { script: 'a `#!/bin/sh` tool', binary: 'a compiled tool' }
const GROW = fileURLToPath(new URL('../programs/grow.cjs', import.meta.url))

/** A call through `orla --stdio` against starting the same file without Orla. */
export async function measure({ scratch, quick }) {
  const project = twoTools(scratch)
  const orla = openStdio(scratch, project)
  const echo = openEcho()
  await orla.initialize()
  const rows = []
  for (const [tool, what] of Object.entries(TOOLS)) {
    const file = fileOf(project, tool)
    const spawner = scratch.compile('spawn')
    const worker = spawner && openWorker(spawner, [file])
    for (const [how, width] of Object.entries(WIDTHS)) {
      const count = 16 * Math.min(width, 2)
      const figures = await rounds(quick ? 4 : 25, {
        orla: () => timeEach(count, width, () => orla.call(tool)),
        raw: () => timeEach(count, width, () => rawSpawn(file)),
        echo: () => timeEach(count, width, () => echo.ask('tools/call', { name: tool, arguments: {} })),
        ...(worker && { spawn: () => worker.measure(count, width) }),
      })
      const figure = `call of ${what}, ${how}`
      const base = { figure, unit: 'ms', value: figures.orla }
      rows.push(ratio({ ...base, against: 'Node `spawn` with pipes', floor: figures.raw }))
      if (worker) {
        const floor = sums(figures.spawn, figures.echo)
        rows.push(ratio({ ...base, against: 'C `posix_spawn` + bare MCP echo', floor, most: 1.6 }))
      }
    }
    await worker?.stop()
  }
  rows.push(...(await withoutProcess(quick, orla, echo)))
  await echo.stop()
  rows.push(...(await withMemory({ scratch, quick }, project, orla)))
  await orla.stop()
  return rows
}

/** What the server costs when no process is started. */
async function withoutProcess(quick, orla, echo) {
  const rows = []
  for (const [how, width] of Object.entries({ serial: 1, '32 in flight': 32 })) {
    const ping = (server) => () => timeEach(256, width, () => server.ask('ping'))
    const figures = await rounds(quick ? 4 : 25, { orla: ping(orla), floor: ping(echo) })
    rows.push(
      ratio({
        figure: `\`ping\`, ${how}`,
        against: 'bare MCP echo',
        unit: 'ms',
        value: figures.orla,
        floor: figures.floor,
      }),
    )
  }
  return rows
}

/** Node forks, and a fork copies the page tables of all the memory that the server holds. */
async function withMemory({ scratch, quick }, project, plain) {
  const grown = openStdio(scratch, project, { nodeArgs: ['-r', GROW] })
  await grown.initialize()
  const rows = []
  for (const [how, width] of Object.entries(WIDTHS)) {
    const call = (orla) => () => timeEach(8, width, () => orla.call('binary'))
    const figures = await rounds(quick ? 3 : 12, { grown: call(grown), plain: call(plain) })
    rows.push(
      ratio({
        figure: `call of a compiled tool, ${how}, server grown by 500 MB`,
        against: 'itself without',
        unit: 'ms',
        value: figures.grown,
        floor: figures.plain,
        most: 1.15,
      }),
    )
  }
  await grown.stop()
  return rows
}

function fileOf(project, tool) {
  const tools = join(project, 'tools')
  return join(
    tools,
    readdirSync(tools).find((name) => name.startsWith(tool)),
  )
}
