import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LauncherInfo } from './launcher/connection.ts'
import { buildLauncher, hasCompiler, launcherOf, launchersOf } from './launcher/launcher.contract.ts'
import { createLauncherStarter, type LauncherStarter } from './launcher/starter.ts'
import { describeStarter, mentioning, newTag, request, until } from './starter.contract.ts'
import type { ProcessRequest } from './starter.ts'

const path = buildLauncher()
const folder = mkdtempSync(join(tmpdir(), 'launcher-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!hasCompiler)('the native launcher', () => {
  const problems: string[] = []
  const create = () => createLauncherStarter({ path, onProblem: (message) => problems.push(message) })
  afterEach(() => expect(problems.splice(0)).toEqual([]))

  describeStarter('as a starter', create)

  describe('beyond what every starter does', () => {
    let starter: LauncherStarter
    let tag: string
    beforeEach(() => {
      starter = create()
      tag = newTag()
    })
    afterEach(async () => {
      await starter.close()
      expect(mentioning(tag)).toEqual([])
      expect(launchersOf(process.pid, path)).toEqual([])
    })
    const shell = (text: string, more: Partial<ProcessRequest> = {}) =>
      starter.run(request('/bin/sh', ['-c', text], more))

    it('comes with the first program and serves them all', async () => {
      expect(launchersOf(process.pid, path)).toEqual([])
      await Promise.all([shell('true'), shell('true')])
      const [first, ...more] = launchersOf(process.pid, path)
      await shell('true')
      expect([launchersOf(process.pid, path), more]).toEqual([[first], []])
    })

    it('runs 200 at once', async () => {
      const ends = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          shell(`cat; echo ${index} >&2; exit ${index % 7}`, { stdin: `in ${index}` }),
        ),
      )
      for (const [index, end] of ends.entries()) {
        expect([end.stdout.toString(), end.stderr.toString(), end.exitCode]).toEqual([
          `in ${index}`,
          `${index}\n`,
          index % 7,
        ])
      }
    })

    it('gives a program its three streams, real pipes, and nothing else', async () => {
      const { stdout } = await starter.run(request('/bin/ls', ['-l', '/proc/self/fd']))
      const lines = stdout.toString().trim().split('\n').slice(1)
      // The fourth is the folder that ls itself reads.
      expect(lines).toHaveLength(4)
      for (const line of lines.slice(0, 3)) expect(line).toContain('pipe:')
    })

    it('passes on much more than fits into pipes and windows', async () => {
      const bytes = Buffer.from(
        Array.from({ length: 3_000_000 }, (_, index) => (index * 7 + (index >> 9)) % 256),
      )
      const [end, other] = await Promise.all([
        starter.run(request('/bin/cat', [], { stdin: bytes })),
        shell('cat >/dev/null; echo counted', { stdin: bytes }),
      ])
      expect(end.stdout.equals(bytes)).toBe(true)
      expect(other.stdout.toString()).toBe('counted\n')
    })

    it('does not let a reader that does not read hold up the others', async () => {
      const opened = await starter.open(request('/bin/sh', ['-c', 'while :; do echo much; done']))
      if ('problem' in opened) throw opened.error
      opened.stdout.pause()
      for (let round = 0; round < 20; round++) expect(await shell('echo hi')).toMatchObject({ exitCode: 0 })
      await opened.end(100)
    })

    it('stays small while a server that is busy does not take the output', async () => {
      const running = Promise.all(
        Array.from({ length: 4 }, () => shell('head -c 3000000 /dev/zero', { outputBytes: 4_000_000 })),
      )
      await new Promise((settle) => setImmediate(settle))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      const [pid = 0] = launchersOf(process.pid, path)
      const [, peak = '0'] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      expect(Number(peak)).toBeLessThan(6_000)
      for (const end of await running) expect(end.stdout.length).toBe(3_000_000)
    })

    it('runs a script without a first line with the shell, as the other starter does', async () => {
      const file = join(folder, 'bare')
      writeFileSync(file, 'echo "$0 $1"\n')
      chmodSync(file, 0o755)
      expect((await starter.run(request(file, ['x']))).stdout.toString()).toBe(`${file} x\n`)
    })

    it('marks a tool for the outer server too when it is a tool itself', async () => {
      const env = { PATH: '/usr/bin:/bin', MCP_RUN: 'outer.1' }
      const { stdout } = await starter.run(request('environment.sh', [], { env }))
      expect(stdout.toString()).toMatch(/^MCP_RUN=outer\.1,[0-9a-f]{32}\.000000000001$/m)
    })

    it('keeps environments apart, however many there are', async () => {
      for (const index of [...Array(80).keys(), 0, 79, 3]) {
        const env = { PATH: '/usr/bin:/bin', INDEX: String(index), [`ONLY_${index}`]: 'x' }
        const { stdout } = await shell('env | grep -c ONLY_; echo $INDEX', { env })
        expect(stdout.toString()).toBe(`1\n${index}\n`)
      }
    })

    describe('a process that hides', () => {
      it('is found although it left the session, cleared its environment and lost its parent', async () => {
        const other = shell(`exec sleep 600.${tag}`, { timeoutMs: 2_000 })
        const hide = `(setsid env -i sleep 600.0${tag} &) ; until pgrep -f '^sleep 600.0${tag}'; do :; done`
        expect(await shell(hide)).toMatchObject({ cause: 'exit', exitCode: 0 })
        expect(mentioning(`600.0${tag}`)).toEqual([])
        expect(await other).toMatchObject({ cause: 'timeout' })
      })

      it('goes with the last call when it got rid of the number of its own too', async () => {
        const hide = `ulimit -x 7; (setsid env -i sleep 600.${tag} &) ; until pgrep -f '^sleep 600.${tag}'; do :; done`
        expect(await starter.run(request('/bin/bash', ['-c', hide]))).toMatchObject({ exitCode: 0 })
        expect(mentioning(tag)).toEqual([])
      })
    })

    describe('when it is killed', () => {
      it('the calls that ran fail clearly, nothing is left, and another takes over', async () => {
        const words = [tag, 'wait']
        const running = ['detach.sh', 'daemon.py', 'slow.sh'].map((file) => starter.run(request(file, words)))
        const opened = await starter.open(request('stubborn.sh', [tag]))
        if ('problem' in opened) throw opened.error
        await until(() => mentioning(`600.${tag}`).length >= 9)
        const first = launcherOf(process.pid, path)
        process.kill(first, 'SIGKILL')
        await until(() => problems.length > 0)
        // While what the first one left is looked for.
        const next = shell('sleep 0.2; echo next')
        for (const end of await Promise.all(running)) {
          expect(end).toMatchObject({ cause: 'exit', exitCode: null, signal: 'SIGKILL' })
          expect(end.error?.message).toContain('launcher')
        }
        expect(await opened.gone).toEqual({ exitCode: null, signal: 'SIGKILL' })
        await opened.exited
        expect(mentioning(tag)).toEqual([])
        expect(problems.splice(0)).toEqual(['ended by SIGKILL'])
        expect((await next).stdout.toString()).toBe('next\n')
        expect((await shell('echo again')).stdout.toString()).toBe('again\n')
        expect(launchersOf(process.pid, path)).not.toContain(first)
      })

      it('does not heed signals that a terminal or a service manager sends', async () => {
        const running = shell('sleep 0.3; echo done')
        await until(() => launchersOf(process.pid, path).length === 1)
        const pid = launcherOf(process.pid, path)
        for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.kill(pid, signal)
        expect((await running).stdout.toString()).toBe('done\n')
      })
    })

    describe('setup', () => {
      it('reports what a program used', async () => {
        const text = 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
        const { usage } = await shell(text)
        expect(usage?.cpuMs).toBeGreaterThan(5)
        expect(usage?.maxRssBytes).toBeGreaterThan(500_000)
      })

      it('applies limits and umask to this program alone', async () => {
        const limits = {
          cpuSeconds: 7,
          dataBytes: 2 ** 30,
          openFiles: 77,
          fileBytes: 2048 * 1024,
          processes: 1234,
        }
        const text = 'ulimit -t; ulimit -d; ulimit -n; ulimit -f; ulimit -u; umask'
        const run = (more: object) => starter.run({ ...request('/bin/bash', ['-c', text]), ...more })
        const limited = await run({ setup: { limits, umask: 0o27 } })
        expect(limited.stdout.toString().split('\n')).toEqual([
          '7',
          String(2 ** 20),
          '77',
          '2048',
          '1234',
          '0027',
          '',
        ])
        expect((await run({})).stdout.toString()).not.toContain('0027')
      })

      it('ends a program that takes more processor time than it may', async () => {
        const end = await starter.run({
          ...request('/bin/sh', ['-c', 'while :; do :; done']),
          setup: { limits: { cpuSeconds: 1 } },
        })
        expect(end).toMatchObject({ cause: 'exit', signal: 'SIGXCPU' })
      })

      it('confines a program to the paths it is given', async (test) => {
        const info = await infoOf()
        if (info.landlock === 0) test.skip('this kernel has no Landlock')
        const allowed = join(folder, 'allowed')
        writeFileSync(allowed, 'readable')
        const secret = join(folder, 'secret')
        writeFileSync(secret, 'secret')
        const rules = [
          { path: '/usr', rights: READ | EXECUTE },
          { path: '/bin', rights: READ | EXECUTE },
          { path: '/lib', rights: READ | EXECUTE },
          { path: '/lib64', rights: READ | EXECUTE, optional: true },
          { path: allowed, rights: READ },
          { path: join(folder, 'not-there'), rights: READ, optional: true },
        ]
        const confined = (handled: bigint, more: object[] = []) =>
          starter.run({
            ...request('/bin/sh', ['-c', `cat ${allowed} ${secret}; echo x > ${folder}/new`]),
            setup: { confinement: { filesystem: { handled, rules: [...rules, ...(more as typeof rules)] } } },
          })
        const end = await confined(READ | EXECUTE | WRITE | MAKE)
        expect(end.stdout.toString()).toBe('readable')
        expect(end.stderr.toString()).toContain('secret: Permission denied')
        expect(end.stderr.toString()).toContain('new: Permission denied')
        expect(await confined(READ, [{ path: join(folder, 'gone'), rights: READ }])).toMatchObject({
          cause: 'spawn',
          error: { code: 'ENOENT', syscall: 'confine' },
          problem: { kind: 'other' },
        })
      })

      it('applies a filter of system calls', async () => {
        const run = (filter: Uint8Array) =>
          starter.run({
            ...request('/bin/sh', ['-c', 'echo hi; grep -E "NoNewPrivs|Seccomp:" /proc/self/status']),
            setup: { confinement: { filter } },
          })
        const end = await run(ALLOW_ALL)
        expect(end.stdout.toString()).toBe('hi\nNoNewPrivs:\t1\nSeccomp:\t2\n')
        expect(await run(Buffer.alloc(8, 255))).toMatchObject({ cause: 'spawn', error: { code: 'EINVAL' } })
      })
    })

    async function infoOf(): Promise<LauncherInfo> {
      let told: (info: LauncherInfo) => void = () => {}
      const info = new Promise<LauncherInfo>((settle) => {
        told = settle
      })
      const asked = createLauncherStarter({ path, onReady: (answer) => told(answer) })
      await asked.run(request('/bin/true'))
      await asked.close()
      return info
    }
  })
})

describe('a launcher that cannot start', () => {
  it.each(['/bin/false', '/nowhere/launcher'])('is done without: %s', async (wrong) => {
    const problems: string[] = []
    const starter = createLauncherStarter({ path: wrong, onProblem: (message) => problems.push(message) })
    const ends = await Promise.all([
      starter.run(request('words.sh', ['one'])),
      starter.run(request('words.sh', ['two'])),
    ])
    expect(ends.map((end) => end.stdout.toString())).toEqual(['one\n', 'two\n'])
    expect(problems).toHaveLength(1)
    expect((await starter.run(request('words.sh', ['three']))).stdout.toString()).toBe('three\n')
    const opened = await starter.open(request('/bin/cat'))
    if ('problem' in opened) throw opened.error
    opened.stdin.end('four')
    const [chunk] = await once(opened.stdout, 'data')
    expect(String(chunk)).toBe('four')
    await opened.exited
    // Nobody is there to confine it: it is not run unconfined instead.
    expect(await starter.run({ ...request('words.sh'), setup: { umask: 0o77 } })).toMatchObject({
      cause: 'spawn',
      problem: { kind: 'other' },
    })
    await starter.close()
    expect(await starter.run(request('words.sh'))).toMatchObject({ cause: 'abort' })
  })
})

/** Landlock's numbers for rights. */
const EXECUTE = 1n
const WRITE = 2n
const READ = 4n
const MAKE = 256n
/** One instruction: return SECCOMP_RET_ALLOW. */
const ALLOW_ALL = Buffer.from([0x06, 0, 0, 0, 0, 0, 0xff, 0x7f])
