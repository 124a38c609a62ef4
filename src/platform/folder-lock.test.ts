import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withFolderLock } from './folder-lock.ts'
import { ownerMark } from './owner.ts'
import { waitUntil } from './wait.ts'

const home = mkdtempSync(join(tmpdir(), 'orla-lock-host-'))
const host = join(home, 'host.mjs')
let folder: string
let lock: string
const children = new Set<ChildProcess>()

/** Takes the lock `times` times, writes `+` and `-` around its work; `hold` never lets go. */
const HOST = `
import { appendFileSync } from 'node:fs'
import { withFolderLock } from ${JSON.stringify(fileURLToPath(new URL('./folder-lock.ts', import.meta.url)))}
const [lock, log, times] = process.argv.slice(2)
for (let i = 0; i < (times === 'hold' ? 1 : Number(times)); i++) {
  await withFolderLock(lock, async () => {
    appendFileSync(log, '+' + process.pid + '\\n')
    await new Promise((resolve) => times === 'hold' ? setInterval(() => {}, 1000) : setImmediate(resolve))
    appendFileSync(log, '-' + process.pid + '\\n')
  }, { onWait: (pid) => console.log('waits for ' + pid) })
}
`

beforeAll(async () => {
  writeFileSync(join(home, 'host.ts'), HOST)
  const bundle = await rolldown({ input: join(home, 'host.ts'), platform: 'node' })
  await bundle.write({ file: host, format: 'esm' })
  await bundle.close()
})
afterAll(() => rmSync(home, { recursive: true, force: true }))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-lock-'))
  lock = join(folder, 'deep', 'lock')
  writeFileSync(join(folder, 'log'), '')
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  rmSync(folder, { recursive: true, force: true })
})

function start(times: number | 'hold'): ChildProcess {
  const child = spawn(process.execPath, [host, lock, join(folder, 'log'), String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  return child
}

const log = () => readFileSync(join(folder, 'log'), 'utf8').split('\n').filter(Boolean)
const logged = (line: string) => waitUntil(() => (log().includes(line) ? true : undefined), 20_000)

/** Every `+` is followed by the `-` of the same process. */
function expectNoOverlap(lines: readonly string[]): void {
  for (let i = 0; i < lines.length; i += 2) expect(lines[i + 1]).toBe(lines[i]?.replace('+', '-'))
}

describe('withFolderLock', () => {
  it('lets one process in at a time, serves all of them, and leaves nothing behind', async () => {
    const hosts = [start(25), start(25), start(25)]
    const statuses = await Promise.all(hosts.map(async (child) => (await once(child, 'exit'))[0]))
    expect(statuses).toEqual([0, 0, 0])
    expect(log()).toHaveLength(150)
    expectNoOverlap(log())
    expect(existsSync(lock)).toBe(false)
  })

  it('makes calls in one process wait for each other, in the order they came', async () => {
    const order: string[] = []
    let waited = 0
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        withFolderLock(
          lock,
          async () => {
            order.push(`+${name}`)
            await new Promise((resolve) => setImmediate(resolve))
            order.push(`-${name}`)
          },
          {
            onWait: (pid) => {
              waited++
              expect(pid).toBe(process.pid)
            },
          },
        ),
      ),
    )
    expect(order).toEqual(['+a', '-a', '+b', '-b', '+c', '-c', '+d', '-d'])
    expect(waited).toBe(3)
    expect(existsSync(lock)).toBe(false)
  })

  it('gives back what the work gives, and the lock when it throws', async () => {
    await expect(withFolderLock(lock, async () => 7)).resolves.toBe(7)
    await expect(withFolderLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await expect(withFolderLock(lock, async () => 8)).resolves.toBe(8)
  })

  it('says who holds it, and is not blocked by a holder that was killed', async () => {
    const holder = start('hold')
    await logged(`+${holder.pid}`)
    const waiting = [start(1), start(1)]
    for (const child of waiting) {
      const [words] = await once(child.stdout ?? child, 'data')
      expect(String(words)).toBe(`waits for ${holder.pid}\n`)
    }
    expect(log()).toHaveLength(1)
    holder.kill('SIGKILL')
    const statuses = await Promise.all(waiting.map(async (child) => (await once(child, 'exit'))[0]))
    expect(statuses).toEqual([0, 0])
    expectNoOverlap(log().slice(1))
    expect(existsSync(lock)).toBe(false)
  })

  it('is not blocked by a waiter that was killed', async () => {
    const holder = start('hold')
    await logged(`+${holder.pid}`)
    const waiter = start(1)
    await once(waiter.stdout ?? waiter, 'data')
    const last = start(1)
    await once(last.stdout ?? last, 'data')
    waiter.kill('SIGKILL')
    await once(waiter, 'exit')
    holder.kill('SIGKILL')
    expect(await once(last, 'exit')).toEqual([0, null])
    expect(log()).toEqual([`+${holder.pid}`, `+${last.pid}`, `-${last.pid}`])
  })

  it('respects another machine while its heart beats, and forgets it a minute after', async () => {
    mkdirSync(lock, { recursive: true })
    const [pid, ticks] = ownerMark().split('-')
    const foreign = join(lock, `ticket.000000000001.${pid}-${ticks}-0123456789ab.0123456789abcdef`)
    writeFileSync(foreign, '')
    const patience = new AbortController()
    const refused = withFolderLock(lock, async () => 'in', {
      signal: patience.signal,
      onWait: () => patience.abort(),
    })
    await expect(refused).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
    const then = new Date(Date.now() - 61_000)
    utimesSync(foreign, then, then)
    await expect(withFolderLock(lock, async () => 'in')).resolves.toBe('in')
  })

  it('ignores files that are no tickets', async () => {
    mkdirSync(lock, { recursive: true })
    appendFileSync(join(lock, 'notes.txt'), 'x')
    await expect(withFolderLock(lock, async () => 'in')).resolves.toBe('in')
    expect(readdirSync(lock)).toEqual(['notes.txt'])
  })

  it('says so when it cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '')
    await expect(withFolderLock(join(folder, 'file', 'lock'), async () => 1)).rejects.toMatchObject({
      code: 'E_FILE',
    })
  })
})
