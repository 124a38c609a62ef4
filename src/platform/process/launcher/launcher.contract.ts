import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildNative, hasCompiler, hasSanitizers, SANITIZE } from '../../native.contract.ts'
import { createFrameWriter, numbersFrame } from './frame-writer.ts'
import { FRAME_MAX, FROM, INPUT_WINDOW, START_FLAGS, TO } from './protocol.ts'
import { writeStart } from './start-frame.ts'

export { hasCompiler, hasSanitizers }

/** One that any mistake in memory or arithmetic ends, and with it the test that caused it. */
export function buildSanitizedLauncher(): string {
  return hasSanitizers ? buildLauncher(...SANITIZE) : ''
}

/** The path of a launcher built from the sources as they are. */
export function buildLauncher(...flags: readonly string[]): string {
  return buildNative('build-launcher.mjs', 'launcher', flags)
}

/** The pid of the only one. Zero would be everyone around us, so there must be one. */
export function launcherOf(parent: number, path: string): number {
  const [pid] = launchersOf(parent, path)
  if (pid === undefined) throw new Error('no launcher is running')
  return pid
}

export function launchersOf(parent: number, path: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const [state, owner] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return Number(owner) === parent && state !== 'Z' && line.startsWith(path)
      } catch {
        return false
      }
    })
}

/** Whatever arrives, the launcher answers it or ends with a message. */
export function describeHostileFrames(name: string, path: string, runs: number): void {
  describe.skipIf(!hasCompiler)(name, () => {
    const writer = createFrameWriter()
    const start = (id = 0, more: { flags?: number; environment?: number; input?: Uint8Array } = {}) =>
      writeStart(writer, id, {
        request: { file: '/bin/true', args: ['one', 'two'], cwd: '/', env: {} },
        setup: {
          umask: 0o22,
          limits: { openFiles: 100 },
          confinement: { filesystem: { handled: 1n, rules: [{ path: '/', rights: 1n }] } },
        },
        flags: more.flags ?? 0,
        environment: more.environment ?? 0,
        marker: 'marker',
        input: more.input ?? Buffer.from('input'),
      })
    const frame = (kind: number, id: number, payload: Uint8Array = Buffer.alloc(0)) => {
      writer.begin(kind, id)
      writer.bytes(payload)
      return writer.end()
    }
    const u32 = (value: number) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(value)
      return bytes
    }
    const refused = async (...frames: readonly Uint8Array[]) => {
      const { status, signal, message } = await send(path, frames)
      expect([status, signal]).toEqual([2, null])
      expect(message).toMatch(/^orla launcher: [^\n]+\n$/)
      return message
    }

    it('serves what is right, and ends when the server does', async () => {
      const end = await send(path, [start(), start(1)], FROM.EXIT)
      expect(end).toMatchObject({ status: 0, signal: null, message: '' })
    })

    it('refuses lengths that cannot be', async () => {
      expect(await refused(u32(FRAME_MAX + 1))).toContain('length')
      expect(await refused(u32(0xffffffff))).toContain('length')
      expect(await refused(u32(4), Buffer.alloc(10))).toContain('length')
      expect(await refused(u32(0))).toContain('length')
    })

    it('refuses frames that end too early', async () => {
      const whole = start()
      expect(await refused(whole.subarray(0, 3))).toContain('not complete')
      expect(await refused(whole.subarray(0, whole.length - 1))).toContain('not complete')
      for (let length = 9; length < whole.length - 5; length += 3) {
        const cut = Buffer.from(whole.subarray(0, length))
        cut.writeUInt32LE(length - 4, 0)
        await refused(cut)
      }
    })

    it('refuses kinds, numbers and counts it does not know', async () => {
      expect(await refused(frame(99, 0))).toContain('unknown kind')
      expect(await refused(frame(0, 0))).toContain('unknown kind')
      expect(await refused(frame(TO.KILL, 4096))).toContain('number')
      expect(await refused(start(4096))).toContain('number')
      const slow = writeStart(writer, 0, {
        request: { file: '/bin/sleep', args: ['600'], cwd: '/', env: {} },
        setup: undefined,
        flags: START_FLAGS.MORE_INPUT,
        environment: 0,
        marker: 'm',
        input: Buffer.alloc(0),
      })
      expect(await refused(slow, slow)).toContain('number')
      expect(await refused(slow, frame(TO.TAKEN, 0))).toContain('descriptors')
      expect(await refused(slow, frame(TO.KILL, 0))).toContain('bad request')
      expect(await refused(slow, frame(TO.INPUT_END, 0), frame(TO.INPUT, 0))).toContain('ended')
      expect(await refused(slow, ...Array(3).fill(frame(TO.INPUT, 0, Buffer.alloc(INPUT_WINDOW))))).toContain(
        'room',
      )
      expect(await refused(start(0, { environment: 7 }))).toContain('not defined')
      expect(await refused(start(0, { environment: 70_000 }))).toContain('not defined')
      expect(await refused(frame(TO.DEFINE, 1, u32(0xffffffff)))).toContain('bad environment')
      expect(await refused(frame(TO.DEFINE, 0, u32(0)))).toContain('number')
      expect(await refused(frame(TO.FORGET, 256))).toContain('number')
      expect(await refused(frame(TO.START, 0, Buffer.alloc(200, 255)))).not.toBe('')
    })

    it('ignores what comes for a call that has ended', async () => {
      const late = [numbersFrame(TO.KILL, 5, 1, 0), frame(TO.INPUT, 5), frame(TO.TAKEN, 5), start(5)]
      expect(await send(path, late, FROM.EXIT)).toMatchObject({ status: 0, message: '' })
    })

    const survives = async (bytes: Uint8Array) => {
      const { status, signal, message } = await send(path, [bytes])
      expect(signal).toBeNull()
      expect([0, 2]).toContain(status)
      if (status === 2) expect(message).toMatch(/^orla launcher: [^\n]+\n$/)
      else expect(message).toBe('')
    }

    it('does not crash on any bytes', async () => {
      await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), survives), { numRuns: runs })
    })

    it('does not crash on frames with any content', async () => {
      const any = fc
        .tuple(
          fc.integer({ min: 1, max: 8 }),
          fc.integer({ min: 0, max: 3 }),
          fc.uint8Array({ maxLength: 100 }),
        )
        .map(([kind, id, payload]) => frame(kind, id, payload))
      const many = fc.array(any, { maxLength: 12 }).map((frames) => Buffer.concat(frames))
      await fc.assert(fc.asyncProperty(many, survives), { numRuns: runs })
    })

    it('does not crash on requests with changed bytes', async () => {
      const whole = start()
      const change = fc.tuple(fc.integer({ min: 9, max: whole.length - 1 }), fc.integer({ min: 0, max: 255 }))
      const changed = fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
        const bytes = Buffer.from(whole)
        for (const [at, value] of changes) bytes[at] = value
        return bytes
      })
      await fc.assert(fc.asyncProperty(changed, survives), { numRuns: runs })
    })
  })
}

interface Ended {
  readonly status: number | null
  readonly signal: string | null
  readonly message: string
}

/** Sends all of it and hangs up, after the first frame of the kind that is waited for. */
function send(path: string, frames: readonly Uint8Array[], waitFor?: number): Promise<Ended> {
  const child: ChildProcess = spawn(path, [], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], detached: true })
  // A descriptor above 2 is a Socket both ways.
  const socket = child.stdio[3] as Socket
  let message = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    message += chunk.toString()
  })
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    if (waitFor !== undefined && chunk.includes(waitFor)) socket.end()
  })
  for (const bytes of frames) socket.write(bytes)
  if (waitFor === undefined) socket.end()
  return new Promise((settle) => {
    child.on('close', (status, signal) => settle({ status, signal, message }))
  })
}
