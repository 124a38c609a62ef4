import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findLauncher } from './launcher/find.ts'
import { buildLauncher, hasCompiler, launchersOf } from './launcher/launcher.contract.ts'
import { isThere, mentioning, newTag, until } from './starter.contract.ts'

const path = buildLauncher()
const folder = mkdtempSync(join(tmpdir(), 'launcher-server-'))
const host = join(folder, 'host.mjs')
const TOOLS = fileURLToPath(new URL('../../../test/fixtures/tools', import.meta.url))
const STARTER = fileURLToPath(new URL('./launcher/starter.ts', import.meta.url))
let tag: string

beforeEach(() => {
  tag = newTag()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!hasCompiler)('the launcher of a server that ends', () => {
  beforeAll(async () => {
    const source = join(folder, 'host.ts')
    writeFileSync(source, HOST)
    const bundle = await rolldown({ input: source, platform: 'node' })
    await bundle.write({ file: host, format: 'esm' })
    await bundle.close()
  })

  const FORKING = ['detach.sh', 'stubborn.sh', 'hold-pipes.sh', 'chain.sh', 'slow.sh', 'daemon.py', 'hide']

  it('ends every tool when the server is killed, at whatever moment', async () => {
    for (let trial = 0; trial < 12; trial++) {
      const server = startHost('busy', ...FORKING)
      await once(server.stdout ?? server, 'data')
      await pause(randomInt(0, 300))
      const launchers = launchersOf(server.pid ?? 0, path)
      server.kill('SIGKILL')
      await until(() => mentioning(tag).length === 0)
      await until(() => launchers.every((pid) => !isThere(pid)))
    }
  })

  it('ends every tool when Ctrl-C ends the server', async () => {
    const server = startHost('busy', ...FORKING)
    await until(() => mentioning(`600.${tag}`).length > 0)
    if (server.pid === undefined) throw new Error('the server did not start')
    process.kill(-server.pid, 'SIGINT')
    await until(() => mentioning(tag).length === 0)
  })

  it('does not keep the server alive, and ends after it', async () => {
    const server = startHost('once', 'words.sh')
    const [status] = await once(server, 'exit')
    expect(status).toBe(0)
    await until(() => mentioning(path).length === 0)
  })
})

describe('findLauncher', () => {
  const home = join(folder, 'home')
  const binary = (...names: string[]) => {
    const file = join(home, ...names)
    mkdirSync(join(file, '..'), { recursive: true })
    copyFileSync('/bin/true', file)
    chmodSync(file, 0o755)
    return file
  }
  const find = (wanted?: string, arch = 'x64') =>
    findLauncher({ wanted, folder: join(home, 'dist'), platform: 'linux', arch })

  it('takes what is asked for, what was built, what npm installed, or none', () => {
    expect(find()).toBeUndefined()
    const installed = binary('node_modules', '@orla', 'launcher-linux-x64', 'launcher')
    expect(find()).toBe(installed)
    expect(find(undefined, 'arm64')).toBeUndefined()
    const built = binary('dist', 'launcher')
    expect(find()).toBe(built)
    const asked = binary('elsewhere')
    expect(find(asked)).toBe(asked)
    expect(find('off')).toBeUndefined()
    expect(find(join(home, 'nowhere'))).toBeUndefined()
    chmodSync(built, 0o644)
    expect(find()).toBe(installed)
    expect(findLauncher({ folder: join(home, 'dist'), platform: 'darwin', arch: 'x64' })).toBeUndefined()
  })
})

/** A server reduced to its starter: host.mjs LAUNCHER TOOLS TAG busy|once TOOL... */
const HOST = `
import { createLauncherStarter } from ${JSON.stringify(STARTER)}
const [path, tools, tag, mode, ...names] = process.argv.slice(2)
const starter = createLauncherStarter({ path })
// It left the session, cleared its environment and lost its parent.
const hide = ['-c', '(setsid env -i sleep 600.' + tag + ' &) ; sleep 600.' + tag]
const runOne = (name, timeoutMs) => starter.run({
  file: name === 'hide' ? '/bin/sh' : tools + '/' + name,
  args: name === 'hide' ? hide : [tag, 'wait'],
  cwd: tools,
  env: { PATH: process.env.PATH },
  stdin: '{}',
  timeoutMs,
  graceMs: 50,
  outputBytes: 1024,
  signal: new AbortController().signal,
})
async function runForEver(first) {
  for (let index = first; ; index++) await runOne(names[index % names.length], 20 + Math.random() * 200)
}
process.stdout.write('ready\\n')
await (mode === 'busy' ? Promise.all([0, 1, 2, 3].map(runForEver)) : Promise.all(names.map((name) => runOne(name, 0))))
`

/** In a group of its own, as a shell starts it. */
function startHost(mode: string, ...tools: string[]): ChildProcess {
  const words = [host, path, TOOLS, tag, mode, ...tools]
  return spawn(process.execPath, words, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
}
