import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { askLocal, listenLocal } from './local-socket.ts'

const folder = mkdtempSync(join(tmpdir(), 'local-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function listen(path: string, answer: (request: unknown) => Promise<unknown>) {
  const socket = await listenLocal(path, answer)
  onTestFinished(() => socket.close())
  return socket
}

describe('a local socket', () => {
  it('answers each question once, in JSON, and only its user may ask', async () => {
    const { path } = await listen(join(folder, 'a.sock'), async (request) => ({ got: request }))
    const large = 'x'.repeat(50_000)
    expect(await askLocal(path, { large }, 5_000)).toEqual({ got: { large } })
    expect(await Promise.all([1, 2, 3].map((n) => askLocal(path, n, 5_000)))).toEqual([
      { got: 1 },
      { got: 2 },
      { got: 3 },
    ])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('takes the place of a socket whose server was killed, and leaves none behind', async () => {
    const path = join(folder, 'b.sock')
    const first = await listenLocal(path, async () => 1)
    const second = await listen(path, async () => 2)
    expect(await askLocal(second.path, null, 5_000)).toBe(2)
    first.close()
    second.close()
    await expect.poll(() => existsSync(path)).toBe(false)
    await expect(askLocal(path, null, 5_000)).rejects.toThrow('ENOENT')
  })

  it('moves to the temporary folder when the path is too long for a socket', async () => {
    const socket = await listen(join(folder, 'x'.repeat(120)), async () => 'here')
    expect(await askLocal(socket.path, null, 5_000)).toBe('here')
    socket.close()
    await expect.poll(() => existsSync(join(socket.path, '..'))).toBe(false)
  })

  it('is not kept busy by those who ask nonsense or nothing', async () => {
    const { path } = await listen(join(folder, 'c.sock'), async (request) => ({ got: request ?? null }))
    const silent = createConnection(path)
    const flood = createConnection(path)
    flood.on('error', () => {})
    flood.write('x'.repeat(100_000))
    await new Promise((resolve) => flood.once('close', resolve))
    const nonsense = createConnection(path)
    nonsense.write('{nonsense\n')
    const [answer] = await new Promise<Buffer[]>((resolve) =>
      nonsense.once('data', (data) => resolve([data])),
    )
    expect(String(answer)).toBe('{"got":null}\n')
    silent.destroy()
    nonsense.destroy()
  })

  it('an answer that does not come is an error after the time', async () => {
    const { path } = await listen(join(folder, 'd.sock'), () => new Promise(() => {}))
    await expect(askLocal(path, null, 50)).rejects.toThrow('no answer in time')
  })
})
