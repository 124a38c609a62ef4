import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BACKENDS, countsRoot, inTier, makeScene, type Scene, setsLimits, works } from './confinement-kit.ts'
import { NODE, ORLA } from './project.ts'

interface Called {
  readonly ok: boolean
  readonly reason: string | null
  readonly message: string | null
  readonly stdout: string | null
  readonly signal: string | null
}

const yaml = (limits: string) =>
  `name: greedy\nversion: 1.0.0\ndescription: Takes more\nentrypoint: main\nlimits: ${limits}\n`

/** What takes more than it may, and what its result says. */
const GREEDY: readonly [what: string, limits: string, program: string, message: RegExp][] = [
  ['processor time', '{cpu: 1s}', 'while :; do :; done', /more than 1 s of processor time/],
  ['memory', '{memory: 64MiB}', `exec perl -e '$x = "x" x 200e6; print "had it"'`, /64 MiB of memory/],
  ['a file', '{file_size: 4KiB}', 'exec head -c 100000 /dev/zero > ~/big', /file of more than 4 KiB/],
  ['time', '{timeout: 500ms}', 'sleep 30', /did not finish within/],
  ['output', '{output: 1KiB}', 'exec head -c 100000 /dev/zero', /printed more than 1 KiB/],
]

const BOMB = 'f() { [ $1 -eq 0 ] || { f $(($1 - 1)) & f $(($1 - 1)) & wait; }; }; f 5; echo over'
const FLOOD = 'i=0; while [ $i -lt 30 ]; do sleep 0.3 & i=$((i + 1)); done; wait; echo over'
const isRoot = process.getuid?.() === 0
const NOT_COUNTED = ': skipped, no control group that counts can be made on this host'

async function install(scene: Scene, limits: string, program: string, env: Record<string, string>) {
  const folder = scene.write({ 'tool.yaml': yaml(limits), main: `#!/bin/sh\n${program}\n` })
  const done = await scene.project.orla(['install', '--local', folder, '--yes'], { env })
  expect([done.status, done.stderr]).toEqual([0, expect.any(String)])
}

async function call({ project }: Scene, env: Record<string, string>): Promise<Called> {
  return JSON.parse((await project.orla(['call', 'greedy', '--json'], { env })).stdout) as Called // Orla wrote it
}

for (const backend of BACKENDS) {
  describe.skipIf(!works(backend) || !setsLimits)(
    `a package that takes more than its limits, ${inTier(backend)}`,
    () => {
      it.each(GREEDY)(
        'Q88, Q91: %s',
        async (_, limits, program, message) => {
          const scene = await makeScene()
          const env = { ...scene.env(backend) }
          await install(scene, limits, program, env)
          const result = await call(scene, env)
          expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(/^(limit|timeout)$/) })
          expect(result.message).toMatch(message)
          expect(result.stdout).not.toContain('had it')
        },
        30_000,
      )

      it('Q91: the operator bounds those that set no limits, and none is widened', async () => {
        const scene = await makeScene()
        const env = { ...scene.env(backend) }
        await install(scene, '{cpu: 100s}', 'while :; do :; done', env)
        scene.project.write({ 'orla.yaml': 'port: 0\nlimits: {tool: {cpu: 1s}}\n' })
        expect((await call(scene, env)).message).toMatch(/more than 1 s of processor time/)
      })

      it.skipIf(!isRoot)(
        `Q91: a flood of root's processes is held as well${countsRoot ? '' : NOT_COUNTED}`,
        async (test) => {
          if (!countsRoot) test.skip()
          const scene = await makeScene()
          const env = { ...scene.env(backend) }
          await install(scene, '{processes: 20, timeout: 20s}', FLOOD, env)
          const result = await call(scene, env)
          expect(result).toMatchObject({ ok: false, reason: 'limit' })
          expect(result.message).toMatch(/20 processes it may have/)
          const free = await call(scene, { ...env, ORLA_SANDBOX: 'off', ORLA_LAUNCHER: 'off' })
          expect(free).toMatchObject({ ok: true, stdout: 'over\n' })
        },
        60_000,
      )

      // A limit of the user does not bind root: there it runs as someone else.
      it('Q91: a fork bomb stays within its number of processes', async () => {
        const scene = await makeScene()
        const { project, write } = scene
        const bomb = `#!/bin/sh\n${BOMB}\n`
        const folder = write({ 'tool.yaml': yaml('{processes: 20, timeout: 20s}'), main: bomb })
        const env = { ...project.env, ...scene.env(backend), PATH: '/usr/local/bin:/usr/bin:/bin' }
        const owner = process.getuid?.() === 0 ? NOBODY : {}
        if (process.getuid?.() === 0) giveAway([scene.home, folder, project.dir, project.env.ORLA_HOME ?? ''])
        const orla = (words: readonly string[], more: Record<string, string> = {}) => {
          const options = { cwd: project.dir, env: { ...env, ...more }, encoding: 'utf8', ...owner } as const
          const { stdout, stderr } = spawnSync(NODE, [ORLA, ...words], options)
          return stdout + stderr
        }
        expect(orla(['install', '--local', folder, '--yes'])).toContain('installed')
        expect(orla(['call', 'greedy'], { ORLA_SANDBOX: 'off', ORLA_LAUNCHER: 'off' })).toBe('over\n')
        expect(orla(['sandbox', 'explain', 'greedy'])).toMatch(/^held .*number of processes/m)
        expect(orla(['call', 'greedy'])).toMatch(/cannot fork|20 processes it may have/i)
      })
    },
  )
}

const NOBODY = { uid: 65_534, gid: 65_534 }

/** To who is not root, with the folders around them. */
function giveAway(folders: readonly string[]): void {
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, folder])
    chownSync(join(folder, '..'), NOBODY.uid, NOBODY.gid)
  }
}

describe.skipIf(!setsLimits)('a tool of the operator', () => {
  it('Q88: takes what it wants, until the configuration bounds it', async () => {
    const scene = await makeScene()
    scene.project.write({ 'tools/greedy': `#!/bin/sh\nexec perl -e '$x = "x" x 200e6; print "had it"'\n` })
    expect(await call(scene, {})).toMatchObject({ ok: true, stdout: 'had it' })
    scene.project.write({ 'orla.yaml': 'limits: {tool: {memory: 64MiB}}\n' })
    const bounded = await call(scene, {})
    expect(bounded).toMatchObject({ ok: false, reason: 'limit' })
    expect(bounded.message).toMatch(/64 MiB of memory/)
  })

  it.skipIf(isRoot && !countsRoot)(
    `Q88: starts what it wants, until the configuration bounds it${isRoot && !countsRoot ? NOT_COUNTED : ''}`,
    async () => {
      const scene = await makeScene()
      scene.project.write({ 'tools/greedy': `#!/bin/sh\n${FLOOD}\n` })
      expect(await call(scene, {})).toMatchObject({ ok: true, stdout: 'over\n' })
      scene.project.write({ 'orla.yaml': 'limits: {tool: {processes: 10}}\n' })
      const bounded = await call(scene, {})
      expect(bounded).toMatchObject({ ok: false, reason: 'limit' })
      expect(bounded.message).toMatch(/10 processes it may have/)
    },
    30_000,
  )
})
