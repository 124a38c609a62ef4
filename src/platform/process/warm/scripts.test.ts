import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildLauncher, hasCompiler } from '../launcher/launcher.contract.ts'
import { createLauncherStarter } from '../launcher/starter.ts'
import { createNodeStarter } from '../node-starter.ts'
import { request } from '../starter.contract.ts'
import type { ProcessEnd, ProcessRequest, ProcessStarter } from '../starter.ts'
import { createWarmStarter } from './starter.ts'

const FIXTURES = fileURLToPath(new URL('../../../../test/fixtures/warm/', import.meta.url))
const path = buildLauncher()
const PYTHONS = ['/usr/bin/python3', ...installedPythons()]

describe.skipIf(!hasCompiler)('scripts in warm interpreters of the launcher', () => {
  describeScripts(() => createLauncherStarter({ path }))
})

describe('scripts in warm interpreters of the node starter', () => {
  describeScripts(() => createNodeStarter())
})

/** Each script runs fresh and in a process started ahead; what it prints must be the same to the byte. */
function describeScripts(create: () => ProcessStarter): void {
  let inner: ProcessStarter
  let warm: ProcessStarter
  let cold = 0
  const folder = mkdtempSync(join(tmpdir(), 'warm-scripts-'))

  beforeAll(() => {
    inner = create()
    const counting: ProcessStarter = {
      ...inner,
      run(request) {
        cold++
        return inner.run(request)
      },
    }
    warm = createWarmStarter(counting, () => ({ warm: 'auto', processes: 4, memoryBytes: 2 ** 30 }))
  })
  afterAll(async () => {
    await warm.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function compare(file: string, words: readonly string[], more: Partial<ProcessRequest> = {}) {
    const script = words.find((word) => word.startsWith('/')) ?? ''
    const asked = request(file, words, { env: ENV, stdin: 'één\ntwo', script, ...more })
    const before = await inner.run(asked)
    const deadline = performance.now() + 20_000
    // The first of its kind is never served by a process that waits.
    for (;;) {
      const runs = cold
      const end = await warm.run(asked)
      if (cold === runs) {
        expect(shown(end)).toEqual(shown(before))
        return shown(end)
      }
      expect(performance.now(), 'no process waits for it').toBeLessThan(deadline)
      await pause(50)
    }
  }
  const python = (name: string, args: readonly string[] = [], more: Partial<ProcessRequest> = {}) =>
    compare('/usr/bin/python3', [`${FIXTURES}${name}`, ...args], more)
  const node = (name: string, args: readonly string[] = [], more: Partial<ProcessRequest> = {}) =>
    compare('node', [`${FIXTURES}${name}`, ...args], more)

  describe.each(PYTHONS)('%s', (file) => {
    it('sees the same interpreter', async () => {
      const { stdout } = await compare(file, [`${FIXTURES}whoami.py`, 'a b', '', '--x'])
      expect(stdout).toContain("COLOUR', 'blue'")
    })
    it.each(['plain', 'chained', 'context', 'hook', 'interrupt', 'import', 'overridden', 'stacklevel'])(
      'fails in the same words: %s',
      (what) => compare(file, [`${FIXTURES}raises.py`, what]).then(() => {}),
    )
    it('runs other modules', async () => {
      await compare(file, [`${FIXTURES}modules.py`])
      await compare(file, ['-B', `${FIXTURES}shadow/shadow.py`])
      await compare(file, ['-B', `${FIXTURES}imports.py`])
    })
  })

  describe('Python', () => {
    it.each(['-u', '-I', '-E', '-s', '-P', '-OO', '-Werror', '-Xutf8', '-bB'])(
      'understands %s',
      async (option) => {
        await compare('/usr/bin/python3', [option, `${FIXTURES}whoami.py`, '-u'])
      },
    )
    it.each(['input-text.py', 'input-binary.py', 'input-by-name.py'])('reads its input: %s', (name) =>
      python(name).then(() => {}),
    )
    it.each(['int', 'none', 'text', 'big', 'raise', 'hard', 'file', ''])('exits: %s', (what) =>
      python('exit.py', [what]).then(() => {}),
    )
    it.each(['group', 'eval'])('fails in the same words: %s', (what) =>
      python('raises.py', [what]).then(() => {}),
    )
    it.each(['syntax.py', 'latin.py', 'undecodable.py', 'bom.py', 'threads.py', 'aio.py', 'spawned.py'])(
      '%s',
      (name) => python(name).then(() => {}),
    )
    it.each(['SIGTERM', 'SIGINT', 'SIGPIPE', 'SIGKILL', 'SIGUSR1'])('takes %s', (name) =>
      python('signals.py', [name]).then(() => {}),
    )
    it('is found behind a link, and runs where it is told', async () => {
      const link = join(folder, 'link.py')
      symlinkSync(`${FIXTURES}imports.py`, link)
      const { stdout } = await compare('/usr/bin/python3', ['-B', link], { cwd: folder })
      expect(stdout).toContain(`${FIXTURES}neighbour.py`)
    })
    it('runs an archive', async () => {
      const archive = join(folder, 'archive')
      const make =
        'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").writestr("__main__.py", sys.argv[2])'
      execFileSync('/usr/bin/python3', ['-c', make, archive, 'import sys; print(__file__, sys.argv, 1 / 0)'])
      await compare('/usr/bin/python3', [archive, 'a'])
    })
    it('takes other variables that matter at its start', async () => {
      const env = { ...ENV, PYTHONIOENCODING: 'latin-1', PYTHONPATH: folder, LANG: 'C', TZ: 'Asia/Tokyo' }
      await python('whoami.py', [], { env })
    })
  })

  describe('Node', () => {
    it.each([
      'whoami.cjs',
      'whoami.mjs',
      'module/by-type.js',
      'commonjs/by-type.js',
      'untyped/by-type.js',
      'no-extension',
      'threads.cjs',
    ])('%s', (name) => node(name, ['a b', '', '--x']).then(() => {}))
    it.each(['', 'sync', 'name'])('reads its input: %s', (how) => node('input.cjs', [how]).then(() => {}))
    it.each([
      ['code'],
      ['exit'],
      ['throw'],
      ['later'],
      ['reject'],
      ['reject-value'],
      ['require'],
      ['warn'],
      ['abort'],
      ['handled'],
      ['signal', 'SIGTERM'],
      ['signal', 'SIGINT'],
      ['signal', 'SIGPIPE'],
    ])('ends: %s %s', (...words) => node('exit.cjs', words).then(() => {}))
    it.each(['throw', 'reject', 'import', 'hang', ''])('a module ends: %s', (what) =>
      node('exit.mjs', [what]).then(() => {}),
    )
    it.each(['link.mjs', 'syntax.cjs', 'syntax.mjs'])('cannot be read: %s', (name) =>
      node(name).then(() => {}),
    )
    it.each(['--no-warnings', '--enable-source-maps', '--max-old-space-size=100', '--stack-trace-limit=3'])(
      'understands %s',
      async (option) => {
        await compare('node', [option, `${FIXTURES}whoami.cjs`])
        await compare('node', [option, `${FIXTURES}exit.cjs`, 'warn'])
      },
    )
    it('takes other variables that matter at its start', async () => {
      const env = { ...ENV, NODE_OPTIONS: '--no-warnings', NODE_PATH: folder, TZ: 'Asia/Tokyo' }
      await node('whoami.cjs', [], { env })
    })
  })
}

const ENV = { PATH: '/usr/bin:/bin', HOME: '/', COLOUR: 'blue', EMPTY: '', 'od-d': 'ü=x', LANG: 'C.UTF-8' }

/** Process ids differ, and the addresses of objects. */
function shown({ stdout, stderr, ...rest }: ProcessEnd) {
  const plain = (bytes: Buffer) =>
    bytes
      .toString('latin1')
      .replaceAll(/node:\d+/g, 'node:PID')
      .replaceAll(/0x[0-9a-f]{8,}/g, '0x')
  const { usage: _, ...end } = rest
  return { ...end, stdout: plain(stdout), stderr: plain(stderr) }
}

/** Other versions, where a version manager keeps them. */
function installedPythons(): string[] {
  const folder = join(homedir(), '.pyenv', 'versions')
  try {
    return readdirSync(folder)
      .filter((name) => /^3\.(8|12|13)\./.test(name))
      .map((name) => join(folder, name, 'bin', 'python3'))
  } catch {
    return []
  }
}
