import { randomInt } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpenProcess, OpenRequest, ProcessEnd, ProcessRequest, ProcessStarter } from './starter.ts'

/** What every starter must do. Each test leaves no process behind, or fails. */
export function describeStarter(name: string, create: () => ProcessStarter): void {
  describe(name, () => {
    const folder = mkdtempSync(join(tmpdir(), 'starter-'))
    let starter: ProcessStarter
    let tag: string

    beforeEach(() => {
      starter = create()
      tag = newTag()
    })
    afterEach(async () => {
      await starter.close()
      expect(mentioning(tag)).toEqual([])
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    const run = (file: string, args: readonly string[] = [], more: Partial<ProcessRequest> = {}) =>
      starter.run(request(file, args, more))
    const script = (file: string, text: string, mode = 0o755): string => {
      const path = join(folder, file)
      writeFileSync(path, text)
      chmodSync(path, mode)
      return path
    }

    describe('a program that ends by itself', () => {
      it('Q12 Q14: gets words, input, folder and environment, and returns both streams and the status', async () => {
        expect(text(await run('words.sh', ['a b', '', '--x']))).toMatchObject({ stdout: 'a b\n\n--x\n' })
        expect(text(await run('repeat.sh', [], { stdin: 'héllo' }))).toMatchObject({ stdout: 'héllo' })
        expect(text(await run('both.sh', ['3']))).toMatchObject({
          cause: 'exit',
          exitCode: 3,
          signal: null,
          stdout: 'out\n',
          stderr: 'err\n',
        })
        const { stdout } = text(
          await run('environment.sh', [], { cwd: folder, env: { ...ENV, COLOUR: 'blue' } }),
        )
        expect(stdout).toContain('COLOUR=blue\n')
        expect(stdout).toContain(`cwd=${folder}\n`)
        expect(stdout).not.toContain('HOME=')
      })

      it('returns every byte as it was printed', async () => {
        const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256))
        const end = await run('repeat.sh', [], { stdin: bytes })
        expect(end.stdout.equals(bytes)).toBe(true)
        expect((await run('binary.sh')).stdout).toEqual(Buffer.from([0xff, 0xfe, 0, 1]))
      })

      it('may open its streams by name', async () => {
        expect(text(await run('by-name.sh', [], { stdin: 'in' }))).toMatchObject({
          exitCode: 0,
          stdout: 'in out\n',
          stderr: 'err\n',
        })
      })

      it('may print nothing, read nothing, or close its input', async () => {
        const stdin = 'x'.repeat(1_000_000)
        expect(text(await run('quiet.sh', [], { stdin }))).toMatchObject({
          cause: 'exit',
          exitCode: 0,
          stdout: '',
        })
        expect(text(await run('close-stdin.sh', [], { stdin }))).toMatchObject({
          exitCode: 0,
          stdout: 'closed\n',
        })
      })

      it('may end by a signal', async () => {
        expect(await run('fault.sh', ['SEGV'])).toMatchObject({
          cause: 'exit',
          exitCode: null,
          signal: 'SIGSEGV',
        })
      })

      it('keeps its status and output when the answer comes with the timeout', async () => {
        const running = run('words.sh', ['early'], { timeoutMs: 500 })
        await pause(1)
        // Both the exit and the timer are due when this returns; the exit came first.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800)
        expect(text(await running)).toMatchObject({ cause: 'exit', stdout: 'early\n' })
      })
    })

    describe('a program that leaves others behind', () => {
      it('answers at once although a child in the background holds the pipes', async () => {
        const end = await run('hold-pipes.sh', [tag])
        expect(text(end)).toMatchObject({ cause: 'exit', exitCode: 0, stdout: 'done\n' })
        expect(mentioning(tag)).toEqual([])
      })

      it('ends background jobs in groups of their own', async () => {
        expect(text(await run('jobs.sh', [tag]))).toMatchObject({ cause: 'exit', stdout: 'done\n' })
        expect(mentioning(tag)).toEqual([])
      })

      it.each(['detach.sh', 'daemon.py', 'chain.sh'])('ends what left the session: %s', async (file) => {
        expect(text(await run(file, [tag]))).toMatchObject({
          cause: 'exit',
          exitCode: 0,
          stdout: 'running\n',
        })
        expect(mentioning(tag)).toEqual([])
      })

      it('does not touch the processes of another call', async () => {
        const stop = new AbortController()
        const other = run('slow.sh', [tag], { signal: stop.signal })
        await until(() => mentioning(`600.${tag}`).length > 0)
        await Promise.all([run('detach.sh', ['42']), run('words.sh'), run('hold-pipes.sh', ['42'])])
        expect(mentioning(`600.${tag}`)).not.toEqual([])
        stop.abort()
        expect(await other).toMatchObject({ cause: 'abort' })
      })
    })

    describe('a program that must be ended', () => {
      it('Q13 Q88: at its timeout, with what it printed until then', async () => {
        const end = await run('slow.sh', [tag], { timeoutMs: 1_000 })
        expect(text(end)).toMatchObject({
          cause: 'timeout',
          exitCode: null,
          signal: 'SIGTERM',
          stdout: 'running\n',
        })
      })

      it.each([0, Number.POSITIVE_INFINITY, 2 ** 40])('not when the timeout is %d', async (timeoutMs) => {
        expect(await run('words.sh', [], { timeoutMs })).toMatchObject({ cause: 'exit' })
      })

      it('may say goodbye, and is not waited for longer than it takes', async () => {
        const end = await run('polite.sh', [tag], { timeoutMs: 1_000, graceMs: 600_000 })
        expect(text(end)).toMatchObject({ cause: 'timeout', exitCode: 0, stdout: 'running\nbye\n' })
      })

      it('is killed when it ignores TERM', async () => {
        const end = await run('stubborn.sh', [tag], { timeoutMs: 1_000, graceMs: 100 })
        expect(end).toMatchObject({ cause: 'timeout', signal: 'SIGKILL' })
      })

      it.each(['detach.sh', 'daemon.py'])('with all that left its session: %s', async (file) => {
        const end = await run(file, [tag, 'wait'], { timeoutMs: 700, graceMs: 100 })
        expect(end).toMatchObject({ cause: 'timeout' })
        expect(mentioning(tag)).toEqual([])
      })

      it('after it closed its output and ran on', async () => {
        expect(await run('close-stdout.sh', [tag], { timeoutMs: 300 })).toMatchObject({ cause: 'timeout' })
      })

      it('Q12: when the caller aborts', async () => {
        const stop = new AbortController()
        const running = run('slow.sh', [tag], { signal: stop.signal })
        await until(() => mentioning(`600.${tag}`).length > 0)
        stop.abort()
        expect(text(await running)).toMatchObject({ cause: 'abort', stdout: 'running\n' })
      })

      it('is not even started when the caller aborted before', async () => {
        const mark = join(folder, 'started')
        const file = script('mark.sh', `#!/bin/sh\ntouch ${mark}\n`)
        const end = await run(file, [], { signal: AbortSignal.abort() })
        expect(text(end)).toMatchObject({ cause: 'abort', exitCode: null, stdout: '' })
        expect(readdirSync(folder)).not.toContain('started')
      })

      it('when it prints too much: the first 64 KiB are kept', async () => {
        const end = await run('flood.sh', [], { outputBytes: 1024 * 1024 })
        expect(end.cause).toBe('limit')
        expect(end.stdout.equals(Buffer.alloc(64 * 1024))).toBe(true)
      })

      it('when both streams together are too much', async () => {
        const end = await run('flood-both.sh', [], { outputBytes: 200_000, graceMs: 50 })
        expect(end.cause).toBe('limit')
        expect(end.stdout.length + end.stderr.length).toBeLessThanOrEqual(128 * 1024)
      })

      it('but not when it prints exactly as much as it may', async () => {
        const stdin = Buffer.alloc(100_000, 'x')
        expect((await run('repeat.sh', [], { stdin, outputBytes: 100_000 })).cause).toBe('exit')
        const over = await run('repeat.sh', [], { stdin, outputBytes: 99_999 })
        expect([over.cause, over.stdout.length]).toEqual(['limit', 64 * 1024])
        expect((await run('repeat.sh', [], { stdin, outputBytes: 10 })).stdout).toEqual(Buffer.alloc(10, 'x'))
      })
    })

    describe('a program that cannot start', () => {
      const problem = async (file: string, args: string[] = [], more: Partial<ProcessRequest> = {}) => {
        const end = await run(file, args, more)
        expect(end).toMatchObject({ cause: 'spawn' })
        return end.problem
      }

      it('Q15: is not there', async () => {
        const path = join(folder, 'gone.sh')
        expect(await problem(path)).toEqual({ kind: 'file-missing', path })
        expect(await problem('/bin/sh', [path], { script: path })).toEqual({ kind: 'file-missing', path })
      })

      it('has an interpreter that is not there', async () => {
        const direct = script('direct.xyz', '#!/opt/nowhere/xyz -u\n')
        expect(await problem(direct)).toEqual({
          kind: 'interpreter-missing',
          path: direct,
          interpreter: '/opt/nowhere/xyz',
        })
        const found = script('found.xyz', '#!/usr/bin/env -S xyz-nowhere -u\n')
        const missing = { kind: 'interpreter-missing', path: found, interpreter: 'xyz-nowhere' }
        expect(await problem(found)).toEqual(missing)
        expect(await problem('xyz-nowhere', ['-u', found], { script: found })).toEqual(missing)
        expect(await problem('/usr/bin/env', ['xyz-nowhere', found], { script: found })).toEqual(missing)
      })

      it('has Windows line endings', async () => {
        const sh = script('crlf.sh', '#!/bin/sh\r\necho hi\r\n')
        expect(await problem(sh)).toEqual({ kind: 'carriage-return', path: sh, interpreter: '/bin/sh' })
        const py = script('crlf.py', '#!/usr/bin/env python3\r\nprint()\r\n')
        expect(await problem(py)).toEqual({ kind: 'carriage-return', path: py, interpreter: 'python3' })
      })

      it('may not be executed', async () => {
        const path = script('plain.sh', '#!/bin/sh\n', 0o644)
        expect(await problem(path)).toEqual({ kind: 'not-executable', path })
        expect(await problem(folder)).toEqual({ kind: 'not-executable', path: folder })
      })

      it('has no folder to run in', async () => {
        const path = join(folder, 'nowhere')
        expect(await problem('words.sh', [], { cwd: path })).toEqual({ kind: 'cwd-missing', path })
      })

      it('has words that no command line can carry', async () => {
        expect(await problem('words.sh', ['x'.repeat(4_000_000)])).toEqual({ kind: 'too-large' })
        expect(await problem('words.sh', ['a\0b'])).toEqual({ kind: 'nul-byte' })
      })

      it('exits with 127 by itself: that is its own status', async () => {
        expect(await run('both.sh', ['127'])).toMatchObject({ cause: 'exit', exitCode: 127 })
      })

      it('a copied binary starts', async () => {
        const path = join(folder, 'echo')
        copyFileSync('/bin/echo', path)
        chmodSync(path, 0o755)
        expect(text(await run(path, ['hi']))).toMatchObject({ cause: 'exit', stdout: 'hi\n' })
      })
    })

    describe('a program that stays', () => {
      const open = async (file: string, args: readonly string[] = [], more: Partial<OpenRequest> = {}) => {
        const opened = await starter.open(request(file, args, more))
        if ('problem' in opened) throw new Error(`not opened: ${opened.error.message}`)
        return opened
      }
      const refused = async (file: string, args: readonly string[] = [], more: Partial<OpenRequest> = {}) => {
        const opened = await starter.open(request(file, args, more))
        return 'problem' in opened ? opened.problem : 'it was opened'
      }

      it('Q70: has three streams, and runs in its folder with its environment', async () => {
        const echo = await open('/bin/cat')
        const heard = read(echo)
        for (const word of ['one ', 'two ', 'three']) echo.stdin.write(word)
        await until(() => heard.stdout() === 'one two three')
        expect(echo.pid).toBeGreaterThan(1)
        await echo.end()
        expect(await echo.exited).toEqual({ exitCode: 0, signal: null })

        const both = await open('/bin/sh', ['-c', 'pwd; echo $COLOUR >&2; exit 3'], {
          cwd: folder,
          env: { ...ENV, COLOUR: 'blue' },
        })
        const said = read(both)
        expect(await both.exited).toEqual({ exitCode: 3, signal: null })
        expect([said.stdout(), said.stderr()]).toEqual([`${folder}\n`, 'blue\n'])
      })

      it('leaves when its input ends, is asked when it does not, and is killed when it ignores that', async () => {
        const reader = await open('/bin/cat')
        const polite = await open('polite.sh', [tag])
        const stubborn = await open('stubborn.sh', [tag])
        const goodbye = read(polite)
        await until(() => mentioning(`600.${tag}`).length >= 2)
        await Promise.all([reader.end(600_000), polite.end(10_000), stubborn.end(200)])
        expect(await reader.gone).toEqual({ exitCode: 0, signal: null })
        expect(await polite.gone).toEqual({ exitCode: 0, signal: null })
        expect(goodbye.stdout()).toContain('bye')
        expect(await stubborn.gone).toEqual({ exitCode: null, signal: 'SIGKILL' })
        await stubborn.end()
        expect(mentioning(tag)).toEqual([])
      })

      it.each(['detach.sh', 'daemon.py', 'hold-pipes.sh'])(
        'takes what it started with it: %s',
        async (file) => {
          const opened = await open(file, [tag])
          const heard = read(opened)
          await opened.exited
          expect(heard.stdout()).toMatch(/running|done/)
          expect(mentioning(tag)).toEqual([])
        },
      )

      it.each(['detach.sh', 'daemon.py'])(
        'takes what left its session with it when it is ended: %s',
        async (file) => {
          const opened = await open(file, [tag, 'wait'], { graceMs: 100 })
          await until(() => mentioning(`600.${tag}`).length > 0)
          await opened.end()
          expect(mentioning(tag)).toEqual([])
        },
      )

      it('tells that it is gone before its streams are read to the end', async () => {
        const opened = await open('hold-pipes.sh', [tag])
        expect(await opened.gone).toEqual({ exitCode: 0, signal: null })
        read(opened)
        await opened.exited
        expect(opened.stdout.destroyed && opened.stderr.destroyed).toBe(true)
      })

      it('swallows what cannot be written any more', async () => {
        const opened = await open('quiet.sh')
        read(opened)
        await opened.exited
        opened.stdin.write('x'.repeat(1_000_000))
        await opened.end()
      })

      it('Q15: says why it cannot start', async () => {
        const path = join(folder, 'gone.sh')
        expect(await refused(path)).toEqual({ kind: 'file-missing', path })
        expect(await refused('/bin/sh', [path], { script: path })).toEqual({ kind: 'file-missing', path })
        const nowhere = join(folder, 'nowhere')
        expect(await refused('words.sh', [], { cwd: nowhere })).toEqual({
          kind: 'cwd-missing',
          path: nowhere,
        })
        expect(await refused('words.sh', ['a\0b'])).toEqual({ kind: 'nul-byte' })
        const found = script('open.xyz', '#!/usr/bin/env xyz-nowhere\n')
        const missing = await open(found)
        expect((await missing.gone).problem).toEqual({
          kind: 'interpreter-missing',
          path: found,
          interpreter: 'xyz-nowhere',
        })
      })

      it('ends with the starter, and none is opened later', async () => {
        const opened = [await open('slow.sh', [tag]), await open('stubborn.sh', [tag], { graceMs: 50 })]
        await until(() => mentioning(`600.${tag}`).length >= 2)
        await starter.close()
        expect(mentioning(tag)).toEqual([])
        for (const { gone } of opened) expect((await gone).exitCode).toBe(null)
        expect(await refused('words.sh')).toMatchObject({ kind: 'other' })
      })
    })

    it('runs many at once', async () => {
      const ends = await Promise.all(
        Array.from({ length: 100 }, (_, index) => run('words.sh', [String(index)])),
      )
      expect(ends.map((end) => end.stdout.toString())).toEqual(ends.map((_, index) => `${index}\n`))
    })

    it('close ends what runs, and what comes later does not start', async () => {
      const running = [
        run('slow.sh', [tag]),
        run('stubborn.sh', [tag], { graceMs: 50 }),
        run('detach.sh', [tag, 'wait'], { graceMs: 50 }),
      ]
      await until(() => mentioning(`600.${tag}`).length >= 8)
      await starter.close()
      for (const end of await Promise.all(running)) expect(end.cause).toBe('abort')
      expect(mentioning(tag)).toEqual([])
      expect(await run('words.sh')).toMatchObject({ cause: 'abort' })
    })
  })
}

const TOOLS = fileURLToPath(new URL('../../../test/fixtures/tools/', import.meta.url))
const ENV = { PATH: process.env.PATH ?? '/usr/bin:/bin' }

/** A request with generous limits; a bare name is a fixture. */
export function request(
  file: string,
  args: readonly string[] = [],
  more: Partial<ProcessRequest> = {},
): ProcessRequest {
  return {
    file: file.includes('/') || !file.includes('.') ? file : join(TOOLS, file),
    args,
    cwd: TOOLS,
    env: ENV,
    stdin: '',
    timeoutMs: 60_000,
    graceMs: 2_000,
    outputBytes: 10 * 1024 * 1024,
    signal: new AbortController().signal,
    ...more,
  }
}

/** Reads both outputs as they come. */
function read({ stdout, stderr }: OpenProcess) {
  const heard = { stdout: '', stderr: '' }
  stdout.on('data', (chunk: Buffer) => {
    heard.stdout += chunk.toString()
  })
  stderr.on('data', (chunk: Buffer) => {
    heard.stderr += chunk.toString()
  })
  return { stdout: () => heard.stdout, stderr: () => heard.stderr }
}

function text({ stdout, stderr, ...rest }: ProcessEnd) {
  return { ...rest, stdout: stdout.toString(), stderr: stderr.toString() }
}

/** Digits, so that `sleep 600.TAG` carries it in its own command line. */
export function newTag(): string {
  return String(randomInt(1e12, 9e12))
}

/** The living processes whose command line mentions the tag: independent of how the starter finds them. */
export function mentioning(tag: string): string[] {
  const found: string[] = []
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    try {
      // Zombies have an empty command line.
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (line.includes(tag)) found.push(`${pid} ${line.replaceAll('\0', ' ').trim()}`)
    } catch {
      // It ended meanwhile.
    }
  }
  return found
}

/** What ended but was not reaped yet has no command line any more; some systems reap orphans only after seconds. */
export function isThere(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`).length > 0
  } catch {
    return false
  }
}

export async function until(condition: () => boolean, deadlineMs = 15_000): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${String(condition)}`)
    await pause(10)
  }
}
