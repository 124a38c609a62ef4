import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  ALL_ESCAPED,
  ALL_HELD,
  BACKENDS,
  inTier,
  KINDS,
  linesOf,
  makeScene,
  works,
} from './confinement-kit.ts'
import { ok } from './project.ts'

describe.each(KINDS)('$name', ({ tool, files, read }) => {
  it('Q91: reaches everything while it is a folder of the operator', async () => {
    const { project, spy, write, env } = await makeScene()
    ok(await project.orla(['install', '--local', write(files(spy)), '--link'], { env: env('bwrap') }))
    expect(read(ok(await project.orla(['call', tool], { env: env('bwrap') })))).toEqual(ALL_ESCAPED)
  })

  for (const backend of BACKENDS) {
    it.skipIf(!works(backend))(`Q91: reaches nothing of it once installed, ${inTier(backend)}`, async () => {
      const { project, spy, write, env } = await makeScene()
      const before = readFileSync(join(project.dir, 'orla.yaml'), 'utf8')
      ok(await project.orla(['install', '--local', write(files(spy)), '--yes'], { env: env(backend) }))
      expect(read(ok(await project.orla(['call', tool], { env: env(backend) })))).toEqual(ALL_HELD)
      expect(readFileSync(join(project.dir, 'orla.yaml'), 'utf8')).toBe(before)
    })
  }
})

const TEST = JSON.stringify({ name: 'runs', input: {}, assertions: [] })

describe('what runs while a package is installed', () => {
  const simple = 'name: spy\nversion: 1.0.0\ndescription: Spies\nentrypoint: main\n'

  it('Q61, Q91: a hook reaches everything when nothing holds it', async () => {
    const { project, spy, write, env } = await makeScene()
    const folder = write({
      'tool.yaml': `${simple}hooks: {post_install: hook.sh}\n`,
      main: '#!/bin/sh\necho hi\n',
      'hook.sh': `#!/bin/sh\n{ ${spy} } > report\n`,
    })
    ok(await project.orla(['install', '--local', folder, '--yes'], { env: env('off') }))
    expect(linesOf(join(project.dir, 'tools/spy/1.0.0/report'))).toEqual(ALL_ESCAPED)
  })

  it('Q91: a test of the package reaches everything when nothing holds it', async () => {
    const { project, spy, write, env, home } = await makeScene()
    const folder = write({
      'tool.yaml': simple,
      main: `#!/bin/sh\n{ ${spy} } > ~/report\n`,
      'tests/a.test.json': TEST,
    })
    ok(await project.orla(['install', '--local', folder, '--yes'], { env: env('off') }))
    expect(linesOf(join(home, 'report'))).toEqual(ALL_ESCAPED)
  })

  for (const backend of BACKENDS) {
    it.skipIf(!works(backend))(
      `Q61, Q91: a hook may change its package alone, ${inTier(backend)}`,
      async () => {
        const { project, spy, write, env } = await makeScene()
        const folder = write({
          'tool.yaml': `${simple}hooks: {post_install: hook.sh}\n`,
          main: '#!/bin/sh\necho hi\n',
          'hook.sh': `#!/bin/sh\n{ ${spy} } > report\n`,
        })
        ok(await project.orla(['install', '--local', folder, '--yes'], { env: env(backend) }))
        expect(linesOf(join(project.dir, 'tools/spy/1.0.0/report'))).toEqual(ALL_HELD)
      },
    )

    it.skipIf(!works(backend))(`Q91: its tests run inside, ${inTier(backend)}`, async () => {
      const { project, spy, write, env, home } = await makeScene()
      const folder = write({
        'tool.yaml': simple,
        // What a test keeps in its home goes with it, so that its outcome has to tell.
        main: `#!/bin/sh\n{ ${spy} } > ~/report\n! grep ESCAPED ~/report && test $(grep -c held ~/report) = ${ALL_HELD.length}\n`,
        'tests/a.test.json': TEST,
      })
      expect((await project.orla(['test', folder], { env: env('off') })).status).toBe(1)
      rmSync(join(home, 'report'))
      ok(await project.orla(['install', '--local', folder, '--yes'], { env: env(backend) }))
      ok(await project.orla(['test', folder], { env: env(backend) }))
      ok(await project.orla(['test', 'spy'], { env: env(backend) }))
      expect(existsSync(join(home, 'report'))).toBe(false)
      expect(readdirSync(join(project.env.ORLA_HOME ?? '', 'state/trials'))).toEqual([])
    })
  }
})
