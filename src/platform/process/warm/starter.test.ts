import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildLauncher, hasCompiler } from '../launcher/launcher.contract.ts'
import { createLauncherStarter } from '../launcher/starter.ts'
import { createNodeStarter } from '../node-starter.ts'
import { describeStarter, mentioning, newTag, request, until } from '../starter.contract.ts'
import type { OpenProcess, ProcessRequest, ProcessStarter } from '../starter.ts'
import type { WarmSettings } from './pool.ts'
import { createWarmStarter } from './starter.ts'

const path = buildLauncher()
const PYTHON = '/usr/bin/python3'
const SETTINGS: WarmSettings = { warm: 'auto', processes: 4, memoryBytes: 2 ** 30 }
const folder = mkdtempSync(join(tmpdir(), 'warm-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!hasCompiler)('a warm starter over the launcher', () => {
  const create = () => createLauncherStarter({ path })
  describeStarter('as a starter', () => createWarmStarter(create(), () => SETTINGS))
  describeWarm(create)
})

describe('a warm starter over the node starter', () => {
  describeWarm(createNodeStarter)
})

function describeWarm(create: () => ProcessStarter): void {
  let settings: WarmSettings
  let opened: OpenProcess[]
  let living: Set<number>
  let cold: number
  let starter: ProcessStarter
  let tag: string

  beforeEach(() => {
    settings = SETTINGS
    opened = []
    living = new Set()
    cold = 0
    tag = newTag()
    const inner = create()
    starter = createWarmStarter(
      {
        ...inner,
        run(request) {
          cold++
          return inner.run(request)
        },
        async open(request) {
          const process = await inner.open(request)
          if ('problem' in process) return process
          opened.push(process)
          living.add(process.pid)
          void process.gone.then(() => living.delete(process.pid))
          return process
        },
      },
      () => settings,
    )
  })
  afterEach(async () => {
    await starter.close()
    expect(mentioning(tag)).toEqual([])
    expect(living.size).toBe(0)
  })

  const write = (name: string, text: string): string => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  const python = (text: string, more: Partial<ProcessRequest> = {}) => {
    const script = write('script.py', text)
    return starter.run(request(PYTHON, [script, tag], { script, ...more }))
  }
  /** One call, and the process for the next. */
  const warmUp = async (): Promise<void> => {
    const before = opened.length
    await python('')
    await until(() => opened.length > before)
  }
  const served = async (work: () => Promise<unknown>): Promise<'cold' | 'warm'> => {
    const before = cold
    await work()
    return cold > before ? 'cold' : 'warm'
  }

  it('Q12: serves the first call as ever and the next ones from processes that wait, each once', async () => {
    const pids = new Set<string>()
    await warmUp()
    for (let call = 0; call < 3; call++) {
      await until(() => living.size > 0)
      const before = cold
      pids.add((await python('import os; print(os.getpid())')).stdout.toString())
      expect(cold).toBe(before)
      await until(() => living.size > 0)
    }
    expect(pids.size).toBe(3)
  })

  it('Q13: counts the timeout from the start of the call', async () => {
    await warmUp()
    const slow = 'import time\nprint("running", flush=True)\ntime.sleep(600)'
    expect(await python(slow, { timeoutMs: 1_500 })).toMatchObject({
      cause: 'timeout',
      exitCode: null,
      signal: 'SIGTERM',
      stdout: Buffer.from('running\n'),
    })
    expect(cold).toBe(1)
  })

  it('asks at once when time is over, and kills one that ignores that', async () => {
    await warmUp()
    const stubborn =
      'import signal, time\nsignal.signal(signal.SIGTERM, lambda *_: print("no", flush=True))\nwhile True: time.sleep(1)'
    const end = await python(stubborn, { timeoutMs: 1_500, graceMs: 300 })
    expect(end).toMatchObject({ cause: 'timeout', signal: 'SIGKILL', stdout: Buffer.from('no\n') })
    expect(cold).toBe(1)
  })

  it('Q12: ends the call when the caller aborts, before or after the script began', async () => {
    await warmUp()
    const stop = new AbortController()
    const running = python(`import subprocess; subprocess.run(["sleep", "600.${tag}"])`, {
      signal: stop.signal,
    })
    await until(() => mentioning(`600.${tag}`).length > 0)
    stop.abort()
    expect(await running).toMatchObject({ cause: 'abort' })
    await until(() => living.size > 0)
    const early = new AbortController()
    const ended = python('import time; time.sleep(600)', { signal: early.signal })
    early.abort()
    expect(await ended).toMatchObject({ cause: 'abort', stdout: Buffer.alloc(0) })
    expect(cold).toBe(1)
  })

  it('ends the call that prints too much, with the first 64 KiB', async () => {
    await warmUp()
    const end = await python('import sys\nwhile True: sys.stdout.write("x" * 100000)', {
      outputBytes: 1_000_000,
    })
    expect(end.cause).toBe('limit')
    expect(end.stdout.equals(Buffer.alloc(64 * 1024, 'x'))).toBe(true)
    await until(() => living.size > 0)
    const exact = await python('print("x" * 99999)', { outputBytes: 100_000 })
    expect([exact.cause, exact.stdout.length]).toEqual(['exit', 100_000])
    expect(cold).toBe(1)
  })

  it('takes what the script left behind with it', async () => {
    await warmUp()
    const end = await python(
      `import subprocess; subprocess.Popen(["sleep", "600.${tag}"], start_new_session=True); print("done")`,
    )
    expect(end).toMatchObject({ cause: 'exit', exitCode: 0, stdout: Buffer.from('done\n') })
    expect(cold).toBe(1)
    expect(mentioning(`600.${tag}`)).toEqual([])
  })

  it('passes on every byte of a large input, read or not', async () => {
    await warmUp()
    const stdin = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * 7) % 256))
    const copy = await python('import sys, shutil; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)', {
      stdin,
    })
    expect(copy.stdout.equals(stdin)).toBe(true)
    await until(() => living.size > 0)
    expect(await python('', { stdin })).toMatchObject({ cause: 'exit', exitCode: 0 })
    expect(cold).toBe(1)
  })

  it('Q15: says what is missing', async () => {
    await warmUp()
    const script = join(folder, 'gone.py')
    expect((await starter.run(request(PYTHON, [script], { script }))).problem).toEqual({
      kind: 'file-missing',
      path: script,
    })
    const cwd = join(folder, 'nowhere')
    expect((await python('', { cwd })).problem).toEqual({ kind: 'cwd-missing', path: cwd })
    expect((await python('', { env: { PATH: '/bin', X: 'a\0b' } })).problem).toEqual({ kind: 'nul-byte' })
  })

  it('starts afresh when the process that waited does not take the call', async () => {
    await warmUp()
    // Stopped, it can neither read nor be seen to end before the call is on its way.
    const [waiting] = opened
    if (waiting === undefined) throw new Error('none waits')
    process.kill(waiting.pid, 'SIGSTOP')
    const running = python('print("afresh")')
    process.kill(waiting.pid, 'SIGKILL')
    expect(await running).toMatchObject({ cause: 'exit', exitCode: 0, stdout: Buffer.from('afresh\n') })
    expect(cold).toBe(2)
  })

  it('runs a script once, whatever becomes of its process', async () => {
    await warmUp()
    const log = join(folder, `log-${tag}`)
    const end = await python(
      `open(${JSON.stringify(log)}, "a").write("x")\nimport os; os.kill(os.getpid(), 9)`,
    )
    expect(end).toMatchObject({ cause: 'exit', signal: 'SIGKILL' })
    expect(readFileSync(log, 'utf8')).toBe('x')
  })

  it.each([['-c', 'pass'], ['-m', 'timeit'], ['-i'], ['-x'], ['-S'], ['-X', 'importtime'], ['--']])(
    'leaves options it does not know to a fresh start: %s',
    async (...options) => {
      const script = write('plain.py', '')
      for (let i = 0; i < 2; i++)
        expect(await served(() => starter.run(request(PYTHON, [...options, script], { script })))).toBe(
          'cold',
        )
      await pause(300)
      expect(opened.length).toBe(0)
    },
  )

  it('keeps variables apart that matter at the start', async () => {
    const script = write('plain.py', '')
    const run = (more: Record<string, string>) =>
      starter.run(request(PYTHON, [script], { script, env: { PATH: '/usr/bin:/bin', ...more } }))
    await run({ COLOUR: 'blue' })
    await until(() => opened.length === 1)
    expect(await served(() => run({ LANG: 'C' }))).toBe('cold')
    expect(await served(() => run({ PYTHONSTARTUP: '/x' }))).toBe('cold')
    expect(await served(() => run({ PYTHONPATH: 'lib' }))).toBe('cold')
    expect(await served(() => run({ COLOUR: 'red', OTHER: '1' }))).toBe('warm')
  })

  it('starts none when it is off, when there is no room, or for a shim', async () => {
    const off = [{ warm: 'off' }, { processes: 0 }, { memoryBytes: 1024 }] as const
    for (const less of off) {
      settings = { ...SETTINGS, ...less }
      for (let i = 0; i < 2; i++) expect(await served(() => python(''))).toBe('cold')
      // Longer than a replacement is put off.
      await pause(300)
    }
    settings = SETTINGS
    const shim = write('python3', `#!/bin/sh\nexec ${PYTHON} "$@"\n`)
    chmodSync(shim, 0o755)
    const script = write('plain.py', '')
    for (let i = 0; i < 2; i++)
      expect(await served(() => starter.run(request(shim, [script], { script })))).toBe('cold')
    await pause(300)
    expect(opened.length).toBe(0)
  })

  it('drops a process when its interpreter is replaced, and gives way to another kind', async () => {
    const node = join(folder, 'node')
    copyFileSync(process.execPath, node)
    const script = write('plain.cjs', '')
    const run = () => starter.run(request(node, [script], { script }))
    await run()
    await until(() => opened.length === 1)
    utimesSync(node, 1, 1)
    expect(await served(run)).toBe('cold')
    await until(() => opened.length === 2 && living.size === 1)
    settings = { ...SETTINGS, processes: 1 }
    await warmUp()
    await until(() => living.size === 1)
    expect(await served(() => python(''))).toBe('warm')
    rmSync(node)
  })

  it('gives up for a while on an interpreter that cannot wait', async () => {
    const broken = join(folder, 'python3.99')
    copyFileSync('/bin/false', broken)
    const script = write('plain.py', '')
    const run = () => starter.run(request(broken, [script], { script }))
    await run()
    await until(() => opened.length === 3)
    await pause(300)
    expect(await served(run)).toBe('cold')
    await pause(300)
    expect(opened.length).toBe(3)
  })

  it('closes with calls under way and processes that wait', async () => {
    await warmUp()
    const running = python(`import subprocess; subprocess.run(["sleep", "600.${tag}"])`)
    await until(() => mentioning(`600.${tag}`).length > 0)
    await starter.close()
    expect(await running).toMatchObject({ cause: 'abort' })
    expect(await python('')).toMatchObject({ cause: 'abort' })
  })
}
