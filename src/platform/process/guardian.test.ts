import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createNodeStarter } from './node-starter.ts'
import { isThere, mentioning, newTag, request, until } from './starter.contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'guardian-'))
const host = join(folder, 'host.mjs')
const HOST = new URL('../../../test/chaos/starter-host.ts', import.meta.url)
const TOOLS = fileURLToPath(new URL('../../../test/fixtures/tools', import.meta.url))
let tag: string

beforeAll(async () => {
  const bundle = await rolldown({ input: fileURLToPath(HOST), platform: 'node' })
  await bundle.write({ file: host, format: 'esm' })
  await bundle.close()
})
beforeEach(() => {
  tag = newTag()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the guardian', () => {
  it('comes with the first run, serves all of them, and goes with close', async () => {
    const starter = createNodeStarter()
    expect(guardiansOf(process.pid)).toEqual([])
    await Promise.all([starter.run(request('words.sh')), starter.run(request('words.sh'))])
    expect(guardiansOf(process.pid)).toHaveLength(1)
    await starter.close()
    expect(guardiansOf(process.pid)).toEqual([])
  })

  it('is replaced when it was killed', async () => {
    const starter = createNodeStarter()
    await starter.run(request('words.sh'))
    const [first] = guardiansOf(process.pid)
    if (first === undefined) throw new Error('there is none')
    process.kill(first, 'SIGKILL')
    await until(() => !guardiansOf(process.pid).includes(first))
    while (guardiansOf(process.pid).length === 0) await starter.run(request('words.sh'))
    expect(guardiansOf(process.pid)).toHaveLength(1)
    await starter.close()
  })

  it('does not keep the server alive, and ends after it', async () => {
    const server = startHost('once', 'polite.sh')
    await until(() => mentioning(`600.${tag}`).length === 1)
    const guardians = guardiansOf(server.pid ?? 0)
    expect(guardians).toHaveLength(1)
    for (const line of mentioning('polite.sh'))
      if (line.includes(tag) && !line.includes('host.mjs')) process.kill(Number.parseInt(line, 10), 'SIGTERM')
    const [status] = await once(server, 'exit')
    expect(status).toBe(0)
    await until(() => guardians.every((pid) => !isThere(pid)))
  })

  const FORKING = ['detach.sh', 'stubborn.sh', 'hold-pipes.sh', 'chain.sh', 'slow.sh', 'daemon.py']

  it('ends every tool when the server is killed, at whatever moment', async () => {
    for (let trial = 0; trial < 12; trial++) {
      const server = startHost('busy', ...FORKING)
      await once(server.stdout ?? server, 'data')
      await pause(randomInt(0, 300))
      server.kill('SIGKILL')
      await until(() => mentioning(tag).length === 0)
    }
  })

  it('ends every tool that stays when the server is killed, at whatever moment', async () => {
    for (let trial = 0; trial < 5; trial++) {
      const server = startHost('open', ...FORKING)
      await once(server.stdout ?? server, 'data')
      if (trial === 0) await until(() => mentioning(`600.${tag}`).length >= FORKING.length)
      await pause(randomInt(0, 300))
      server.kill('SIGKILL')
      await until(() => mentioning(tag).length === 0)
    }
  })

  it('ends every tool when Ctrl-C ends the server', async () => {
    const server = startHost('busy', ...FORKING)
    await until(() => mentioning(`600.${tag}`).length > 0)
    process.kill(-(server.pid ?? 0), 'SIGINT')
    await until(() => mentioning(tag).length === 0)
  })

  it('removes the files that waited to be used', async () => {
    const server = startHost('once', 'slow.sh')
    await until(() => mentioning(`600.${tag}`).length === 1)
    const [tool = ''] = mentioning(`600.${tag}`)
    const folder = dirname(readlinkSync(`/proc/${Number.parseInt(tool, 10)}/fd/1`))
    expect(readdirSync(folder)).not.toEqual([])
    server.kill('SIGKILL')
    await until(() => !existsSync(folder))
  })

  it('knows the groups where there is no /proc', async () => {
    const server = startHost('groups', 'stubborn.sh', 'slow.sh', 'polite.sh')
    await once(server.stdout ?? server, 'data')
    await until(() => mentioning(`600.${tag}`).length === 4)
    server.kill('SIGKILL')
    await until(() => mentioning(tag).length === 0)
  })
})

/** In a group of its own, as a shell starts it. */
function startHost(mode: string, ...tools: string[]): ChildProcess {
  const words = [host, TOOLS, tag, mode, ...tools]
  return spawn(process.execPath, words, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
}

function guardiansOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const [state, owner] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return Number(owner) === parent && state !== 'Z' && line.includes('read -r how token')
      } catch {
        return false
      }
    })
}
