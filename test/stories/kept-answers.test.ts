import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually, makeProject, NODE, ORLA, type Project } from './project.ts'
import { openTerminal } from './terminal.ts'

const PACKAGE = {
  'tools/greet/1.0.0/tool.yaml': manifest('Says hello'),
  'tools/greet/1.0.0/run.sh': '#!/bin/sh\necho hello\n',
}

function manifest(description: string): string {
  return `name: greet\nversion: 1.0.0\ndescription: ${description}\nentrypoint: run.sh\n`
}

/** More than a pipe holds. */
const MANY = Object.fromEntries(
  Array.from({ length: 400 }, (_, index) => [
    `tools/tool-${index}`,
    `#!/bin/sh\n# ${'A word. '.repeat(60)}\n`,
  ]),
)

/** No system gives a process such a number. */
const NOBODY = 2 ** 30
/** For an answer to be kept of a file. */
const OLD_ENOUGH_MS = 100

function start({ dir, env }: Project, stdout: number | 'pipe', args = ['list', '--json']) {
  return spawn(NODE, [ORLA, ...args], { cwd: dir, env, stdio: ['ignore', stdout, 'pipe'] })
}

function homeOf({ env }: Project): string {
  return env.ORLA_HOME ?? ''
}

function answersOf(project: Project): string[] {
  const folder = join(homeOf(project), 'cache/answers')
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

/** What it prints, and whether it was there before: then none of the program's code is loaded, and so none is kept. */
async function list(project: Project, args: readonly string[] = [], env: Record<string, string> = {}) {
  rmSync(join(homeOf(project), 'cache/code'), { recursive: true, force: true })
  const { status, stdout, stderr } = await project.orla(['list', ...args], { env })
  expect(status).toBe(0)
  return { said: stdout + stderr, isRepeated: !existsSync(join(homeOf(project), 'cache/code')) }
}

/** A project whose list is kept. What a first list leaves in the cache has to grow old, too. */
async function settled(files: Readonly<Record<string, string>> = PACKAGE): Promise<Project> {
  const project = makeProject(files)
  await untilRepeated(project)
  return project
}

async function untilRepeated(project: Project, args: readonly string[] = []): Promise<string> {
  return eventually(async () => {
    const { said, isRepeated } = await list(project, args)
    return isRepeated && said
  }, 'a list that is repeated')
}

interface Change {
  readonly what: string
  readonly change: (project: Project) => void
  readonly files?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
}

const MANIFEST = 'tools/greet/1.0.0/tool.yaml'
const CHANGES: readonly Change[] = [
  {
    what: 'a manifest, in place, to the same length and with its old time',
    change({ dir }) {
      const { atime, mtime } = statSync(join(dir, MANIFEST))
      writeFileSync(join(dir, MANIFEST), manifest('Says hallo'))
      utimesSync(join(dir, MANIFEST), atime, mtime)
    },
  },
  { what: 'an entrypoint that is gone', change: ({ dir }) => rmSync(join(dir, 'tools/greet/1.0.0/run.sh')) },
  {
    what: 'a loose tool that came',
    change: (project) => project.write({ 'tools/more.sh': '#!/bin/sh\n# More\n' }),
  },
  { what: 'a package that went', change: ({ dir }) => rmSync(join(dir, 'tools/greet'), { recursive: true }) },
  {
    what: 'a loose tool that may no longer be run',
    files: { ...PACKAGE, 'tools/hello.sh': '#!/bin/sh\n# Hello\n' },
    change: ({ dir }) => chmodSync(join(dir, 'tools/hello.sh'), 0o644),
  },
  {
    what: 'another version beside the first',
    change: (project) =>
      project.write({
        'tools/greet/1.1.0/tool.yaml': manifest('Says more').replace('1.0.0', '1.1.0'),
        'tools/greet/1.1.0/run.sh': '#!/bin/sh\n',
      }),
  },
  {
    what: 'a configuration file that names another folder',
    change: (project) =>
      project.write({ 'orla.yaml': 'tools_dir: other\n', 'other/x.sh': '#!/bin/sh\n# X\n' }),
  },
  {
    what: 'a configuration file above the project',
    change: ({ dir }) => writeFileSync(join(dir, '../orla.yaml'), 'tools_dir: nothing\n'),
  },
  {
    what: 'a configuration of the user',
    change: (project) => writeFileSync(join(homeOf(project), 'config.yaml'), 'tools_dir: other\n'),
  },
  {
    what: 'a tool for all projects',
    change(project) {
      const folder = join(homeOf(project), 'tools/all/1.0.0')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'tool.yaml'), manifest('For all').replace('greet', 'all'))
      writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
    },
  },
  {
    what: 'a file behind a link',
    files: { 'kept/real.sh': '#!/bin/sh\n# Real\n', 'tools/a.sh': '#!/bin/sh\n' },
    change: (project) => project.write({ 'kept/real.sh': '#!/bin/sh\n# Other\n' }),
  },
  { what: 'a variable', change: () => undefined, env: { ORLA_TOOLS_DIR: 'elsewhere' } },
  { what: 'what is asked', change: () => undefined, args: ['--json'] },
]

describe('the list of tools that was printed before', () => {
  it('is printed again, byte for byte, with the problems beside it', async () => {
    const project = await settled({ ...PACKAGE, 'tools/bad/1.0.0/tool.yaml': 'name: bad\n' })
    const direct = await project.orla(['list', '--tools-dir', 'tools'])
    const again = await list(project)
    expect(again).toEqual({ said: direct.stdout + direct.stderr, isRepeated: true })
    expect(again.said).toContain('Says hello')
    expect(again.said).toContain('bad')
  })

  it('is not believed after any change', async () => {
    await Promise.all(
      CHANGES.map(async ({ what, files, change, args, env }) => {
        const project = makeProject(files ?? PACKAGE)
        if (existsSync(join(project.dir, 'kept')))
          symlinkSync('../kept/real.sh', join(project.dir, 'tools/link.sh'))
        const before = await untilRepeated(project)
        change(project)
        const after = await list(project, args, env)
        expect(after.said, what).not.toBe(before)
        for (const answer of answersOf(project)) rmSync(answer)
        expect(await list(project, args, env), what).toEqual({ ...after, isRepeated: false })
      }),
    )
  })

  it('is not kept of files that are so young that a change may not show', async () => {
    const project = makeProject(PACKAGE)
    const touch = setInterval(() => utimesSync(join(project.dir, MANIFEST), 1, 1), 5)
    await list(project)
    clearInterval(touch)
    expect(answersOf(project)).toEqual([])
  })

  it('is printed without a word where it cannot be kept', async () => {
    const project = makeProject(PACKAGE)
    const whole = await list(project)
    rmSync(join(homeOf(project), 'cache/answers'), { recursive: true, force: true })
    writeFileSync(join(homeOf(project), 'cache/answers'), 'no folder')
    await pause(OLD_ENOUGH_MS)
    expect(await list(project)).toEqual(whole)
  })

  it('leaves nothing of lists that were killed', async () => {
    const project = await settled()
    const [answer = ''] = answersOf(project)
    await project.orla(['list', '--json'])
    const code = readdirSync(join(homeOf(project), 'cache/code'), { recursive: true, encoding: 'utf8' })
    const chunk = code.find((name) => name.endsWith('.cjs')) ?? ''
    const parts = [answer, join(homeOf(project), 'cache/code', chunk)].map((file) => `${file}.${NOBODY}`)
    for (const part of parts) writeFileSync(part, 'a part')
    rmSync(answer)
    await eventually(async () => {
      await project.orla(['list'])
      return !parts.some((part) => existsSync(part))
    }, 'all parts are gone')
  })

  it('is not asked for in a folder that is gone', async () => {
    const project = await settled()
    const gone = join(project.dir, 'gone')
    const script = 'mkdir "$GONE" && cd "$GONE" && rmdir "$GONE" && exec "$NODE" "$ORLA" list'
    const env = { ...project.env, NODE, ORLA, GONE: gone }
    const child = spawn('/bin/sh', ['-c', script], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const ended = once(child, 'exit')
    expect(await text(child.stderr)).toBe(
      'error: the folder you are in is gone\n hint: change to another one and repeat the command\n',
    )
    expect(await ended).toEqual([1, null])
  })

  it('is found out anew when it cannot be read, and nobody else can read it', async () => {
    const project = await settled()
    const [answer = ''] = answersOf(project)
    expect(statSync(answer).mode & 0o777).toBe(0o600)
    truncateSync(answer, 100)
    expect(await list(project)).toMatchObject({ isRepeated: false })
    expect(await list(project)).toMatchObject({ isRepeated: true })
  })

  it('leaves as few files as there are questions, and no secrets', async () => {
    const project = await settled()
    for (let count = 0; count < 20; count++)
      await list(project, [], { ORLA_TOOLS_DIR: `tools${'/.'.repeat(count)}` })
    await list(project, [], { ORLA_REGISTRY_TOKEN_MAIN: 'hush-hush' })
    expect(answersOf(project)).toHaveLength(1)
    expect(
      answersOf(project)
        .map((file) => readFileSync(file, 'latin1'))
        .join(),
    ).not.toContain('hush-hush')
    for (let count = 0; count < 20; count++) await list(project, Array(count).fill('--json'))
    expect(answersOf(project).length).toBeLessThanOrEqual(16)
  })

  it('arrives whole in a file, in a pipe that is read slowly, and is no failure when its reader leaves', async () => {
    const project = await settled(MANY)
    const whole = await untilRepeated(project, ['--json'])
    expect(whole.length).toBeGreaterThan(200_000)
    const file = openSync(join(project.dir, 'out'), 'w')
    expect(await once(start(project, file), 'exit')).toEqual([0, null])
    closeSync(file)
    expect(readFileSync(join(project.dir, 'out'), 'utf8')).toBe(whole)
    const slow = start(project, 'pipe')
    await pause(300)
    if (slow.stdout === null) throw new Error('nothing is piped')
    expect(await text(slow.stdout)).toBe(whole)
    const left = start(project, 'pipe')
    left.stdout?.destroy()
    expect(await once(left, 'exit')).toEqual([0, null])
    expect(await list(project, ['--json'])).toMatchObject({ isRepeated: true })
  })

  it.runIf(existsSync('/dev/full'))('fails in the same words where there is no room for it', async () => {
    const project = await settled()
    const full = openSync('/dev/full', 'w')
    const child = start(project, full, ['list'])
    if (child.stderr === null) throw new Error('nothing is piped')
    expect(await text(child.stderr)).toContain('cannot write the output: the disk is full')
    closeSync(full)
  })

  it('is one for terminals and one for other readers', async () => {
    const project = await settled()
    const look = async () => {
      rmSync(join(homeOf(project), 'cache/code'), { recursive: true, force: true })
      const terminal = openTerminal(project, ['list'])
      expect(await terminal.ended).toBe(0)
      return { screen: terminal.screen(), isRepeated: !existsSync(join(homeOf(project), 'cache/code')) }
    }
    const first = await look()
    expect(first).toEqual({ screen: expect.stringContaining('Says hello'), isRepeated: false })
    expect(await look()).toEqual({ ...first, isRepeated: true })
  })
})
