import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isPipe, readPipe } from './read-pipe.ts'
import { waitUntil } from './wait.ts'

const folder = mkdtempSync(join(tmpdir(), 'pipes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let pipes = 0

/** Both ends of a new pipe; the one to write waits when the pipe is full. */
function makePipe() {
  const name = join(folder, `${++pipes}`)
  execFileSync('mkfifo', [name])
  const near = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
  return { near, far: openSync(name, constants.O_WRONLY) }
}

describe('a pipe that is read', () => {
  it('gives every byte once, however much comes at a time', async () => {
    const { near, far } = makePipe()
    const lines = 60_000
    spawn('seq', [`${lines}`], { stdio: ['ignore', far, 'inherit'] })
    closeSync(far)
    const chunks: Buffer[] = []
    for await (const chunk of readPipe(near)) chunks.push(chunk)
    const expected = Array.from({ length: lines }, (_, index) => `${index + 1}\n`).join('')
    expect(Buffer.concat(chunks).toString() === expected).toBe(true)
  })

  it('keeps what came before from being overwritten by what comes next, also from another pipe', async () => {
    const [a, b] = [makePipe(), makePipe()]
    const heard: Buffer[] = []
    const streams = [readPipe(a.near), readPipe(b.near)]
    for (const stream of streams) stream.on('data', (chunk: Buffer) => heard.push(chunk))
    for (const [end, text] of [
      [a.far, 'first'],
      [b.far, 'other'],
      [a.far, 'third'],
    ] as const) {
      const before = heard.length
      writeSync(end, text)
      await waitUntil(() => (heard.length > before ? true : undefined), 5_000)
    }
    expect(heard.map(String)).toEqual(['first', 'other', 'third'])
    for (const stream of streams) stream.destroy()
  })

  it('is left unread while nobody wants more', async () => {
    const { near, far } = makePipe()
    const stream = readPipe(near)
    stream.pause()
    writeSync(far, 'x'.repeat(60_000))
    await new Promise((resolve) => setImmediate(resolve))
    expect(stream.bytesRead).toBe(0)
    const told = new Promise<number>((resolve) => {
      let bytes = 0
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes === 60_000) resolve(bytes)
      })
    })
    stream.resume()
    expect(await told).toBe(60_000)
    stream.destroy()
  })

  it('is told from a file', () => {
    expect(isPipe(makePipe().near)).toBe(true)
    expect(isPipe(openSync('/dev/null', 'r'))).toBe(false)
  })
})
