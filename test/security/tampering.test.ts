import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyPackages } from '../../src/app/signing/verify.ts'
import { contentDigest } from '../../src/formats/index.ts'
import { listTree } from '../../src/platform/index.ts'
import { makeMachine } from '../signing-kit.ts'
import { connectHttp } from '../stories/clients.ts'
import { eventually, makeProject, type Project } from '../stories/project.ts'
import { makeRegistry, makeRepository, packageFiles, registriesYaml } from '../stories/repositories.ts'

const PYTHON = {
  'bin/fs':
    '#!/usr/bin/env python3\nimport sys, os\nsys.path.insert(0, os.path.dirname(__file__))\nimport helper\nprint(helper.word())\n',
  'bin/helper.py': 'def word():\n    return "true"\n',
}

/** A project with one installed package that is called through a server. */
async function installed(
  more: Readonly<Record<string, string>> = {},
): Promise<{ project: Project; folder: string }> {
  const fs = makeRepository({ ...packageFiles('fs', '1.0.0'), ...PYTHON, ...more })
  fs.commit('v1.0.0')
  const project = makeProject({
    'orla.yaml': `${registriesYaml(['main', makeRegistry({ fs })])}watch: false\n`,
  })
  const { status, stderr } = await project.orla(['install', 'fs', '--yes'])
  expect([status, stderr]).toEqual([0, expect.any(String)])
  return { project, folder: join(project.dir, 'tools/fs/1.0.0') }
}

/** What someone who may write there can do to it. Each returns whether it is done. */
const ATTACKS: Readonly<Record<string, (folder: string) => boolean>> = {
  'the program is edited': (folder) => {
    appendFileSync(join(folder, 'bin/fs'), 'print("evil")\n')
    return readFileSync(join(folder, 'bin/fs'), 'utf8').includes('evil')
  },
  'a helper is edited, its size and time as before': (folder) => {
    const file = join(folder, 'bin/helper.py')
    const { atime, mtime, size } = statSync(file)
    writeFileSync(file, readFileSync(file, 'utf8').replace('true', 'evil'))
    utimesSync(file, atime, mtime)
    return statSync(file).size === size && Math.abs(statSync(file).mtimeMs - mtime.getTime()) < 1
  },
  'a file is added': (folder) => {
    writeFileSync(join(folder, 'bin/os.py'), 'print("evil")\n')
    return existsSync(join(folder, 'bin/os.py'))
  },
  'bytecode is planted': (folder) => {
    mkdirSync(join(folder, 'bin/__pycache__'))
    writeFileSync(join(folder, 'bin/__pycache__/helper.cpython-311.pyc'), 'evil')
    return existsSync(join(folder, 'bin/__pycache__/helper.cpython-311.pyc'))
  },
  'a file is deleted': (folder) => {
    rmSync(join(folder, 'bin/helper.py'))
    return !existsSync(join(folder, 'bin/helper.py'))
  },
  'a file becomes executable': (folder) => {
    chmodSync(join(folder, 'bin/helper.py'), 0o755)
    return (statSync(join(folder, 'bin/helper.py')).mode & 0o111) !== 0
  },
  'a file is replaced by a link': (folder) => {
    const file = join(folder, 'bin/helper.py')
    renameSync(file, join(folder, '../../../elsewhere.py'))
    symlinkSync('../../../../elsewhere.py', file)
    return readFileSync(file, 'utf8').includes('word')
  },
  'a folder is replaced by a link': (folder) => {
    renameSync(join(folder, 'bin'), join(folder, '../../../bin-elsewhere'))
    symlinkSync('../../../bin-elsewhere', join(folder, 'bin'))
    return existsSync(join(folder, 'bin/fs'))
  },
}

describe('an installed package that someone changed', () => {
  it('Q89: is denied at the next call and found by verify, whatever was done to it', async () => {
    const { project, folder } = await installed()
    const backup = join(project.dir, 'backup')
    cpSync(folder, backup, { recursive: true })
    const server = await project.serve()
    const client = await connectHttp('v2-modern', server.url)
    const text = async () => {
      const { content, isError = false, _meta } = await client.call('fs')
      return [isError, content[0]?.text, _meta?.['orla/reason']]
    }
    const { world, request } = makeMachine({ ORLA_HOME: project.env.ORLA_HOME ?? '' })
    const here = { ...world, cwd: project.dir }
    const verify = async () => (await verifyPackages(here, request, ['fs']))[0]
    // Python leaves no bytecode behind, so that a call is no change.
    expect(await text()).toEqual([false, 'true\n', undefined])
    expect(readdirSync(join(folder, 'bin')).sort()).toEqual(['fs', 'helper.py'])
    expect(await verify()).toMatchObject({ outcome: 'unsigned', passes: true })
    // Once its files are old enough nothing is hashed any more: the first attack meets that state.
    const stamps = join(project.env.ORLA_HOME ?? '', 'cache/integrity')
    await eventually(async () => (await text()) && existsSync(stamps), 'a stamp')
    for (const [name, attack] of Object.entries(ATTACKS)) {
      expect(attack(folder), `${name}: it was not done`).toBe(true)
      expect(await text(), name).toEqual([
        true,
        expect.stringMatching(/is not run: .* since it was installed; `orla install fs@v1\.0\.0`/),
        'denied',
      ])
      const found = await verify()
      expect([found?.outcome, found?.passes], name).toEqual(['content-mismatch', false])
      rmSync(folder, { recursive: true })
      cpSync(backup, folder, { recursive: true })
      expect(await text(), `${name}, undone`).toEqual([false, 'true\n', undefined])
    }
  })

  it('Q89: `orla call`, which has no server, runs nothing of it either', async () => {
    const { project, folder } = await installed({ 'lib/data.txt': 'data\n' })
    const call = () => project.orla(['call', 'fs'])
    expect((await call()).stdout).toBe('true\n')
    const backup = join(project.dir, 'backup')
    cpSync(folder, backup, { recursive: true })
    const attacks: typeof ATTACKS = {
      ...ATTACKS,
      'a file that no program names is edited': (place) => {
        appendFileSync(join(place, 'lib/data.txt'), 'evil\n')
        return readFileSync(join(place, 'lib/data.txt'), 'utf8').includes('evil')
      },
    }
    for (const [name, attack] of Object.entries(attacks)) {
      expect(attack(folder), `${name}: it was not done`).toBe(true)
      const { status, stdout, stderr } = await call()
      expect([status, stdout], name).toEqual([3, ''])
      expect(stderr, name).toMatch(/`fs` is not served: .* since it was installed/)
      expect(stderr, name).toMatch(/`orla install fs@v1\.0\.0` installs it again/)
      rmSync(folder, { recursive: true })
      cpSync(backup, folder, { recursive: true })
      expect((await call()).stdout, `${name}, undone`).toBe('true\n')
    }
  })

  it('Q89: verify names the files, and a receipt that was made to fit does not help', async () => {
    const { project, folder } = await installed()
    writeFileSync(join(folder, 'bin/helper.py'), 'def word():\n    return "evil"\n')
    writeFileSync(join(folder, 'new'), '')
    const told = await project.orla(['verify', 'fs', '--json'])
    expect(told.status).toBe(3)
    const { results } = JSON.parse(told.stdout) as { results: Record<string, unknown>[] }
    expect(results).toMatchObject([{ changed: ['bin/helper.py'], added: ['new'], missing: [] }])
    const receiptFile = join(folder, '.orla-receipt.json')
    const receipt = JSON.parse(readFileSync(receiptFile, 'utf8')) as Record<string, unknown>
    const files = listTree(folder)
    const fitting = { ...receipt, digest: contentDigest('fs', '1.0.0', files) }
    expect(fitting.digest).not.toBe(receipt.digest)
    writeFileSync(receiptFile, `${JSON.stringify(fitting, null, 2)}\n`)
    const call = await project.orla(['call', 'fs'])
    expect([call.status, call.stdout]).toEqual([3, ''])
    expect(call.stderr).toMatch(/its receipt is not what was written/)
    expect((await project.orla(['verify', 'fs'])).status).toBe(3)
    // Where this machine remembers nothing, the lock does.
    rmSync(join(project.env.ORLA_HOME ?? '', 'state'), { recursive: true })
    const again = await project.orla(['call', 'fs'])
    expect([again.status, again.stdout]).toEqual([3, ''])
    expect(again.stderr).toMatch(/it is not what orla\.lock says/)
    expect((await project.orla(['install', 'fs@v1.0.0', '--yes'])).status).toBe(0)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('true\n')
  })

  it('Q89: an older version does not step in when someone damages the newer one', async () => {
    const fs = makeRepository(packageFiles('fs', '1.0.0'))
    fs.commit('v1.0.0')
    fs.write(packageFiles('fs', '2.0.0'))
    fs.commit('v2.0.0')
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await project.orla(['install', 'fs@v1.0.0', 'fs@v2.0.0', '--yes'])
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 2.0.0\n')
    for (const file of ['bin/fs', 'tool.yaml']) {
      const path = join(project.dir, 'tools/fs/2.0.0', file)
      const before = readFileSync(path)
      appendFileSync(path, '\n')
      const call = await project.orla(['call', 'fs'])
      expect([call.status, call.stdout], file).toEqual([3, ''])
      const told = await project.orla(['verify', 'fs'])
      expect([told.status, told.stdout], file).toEqual([3, expect.stringContaining(`${file} changed`)])
      writeFileSync(path, before)
    }
    // Chosen by someone, it serves.
    appendFileSync(join(project.dir, 'tools/fs/2.0.0/tool.yaml'), '\n')
    await project.orla(['use', 'fs@v1.0.0'])
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
  })

  it('Q90: a receipt cannot widen what a package may do, nor change what it runs', async () => {
    const { project, folder } = await installed({ 'bin/other': '#!/bin/sh\necho other\n' })
    const receiptFile = join(folder, '.orla-receipt.json')
    const receipt = JSON.parse(readFileSync(receiptFile, 'utf8')) as { manifest: Record<string, unknown> }
    const edits: Record<string, Record<string, unknown>> = {
      permissions: { ...receipt, permissions: ['network'] },
      entrypoint: { ...receipt, manifest: { ...receipt.manifest, entrypoint: 'bin/other' } },
      description: { ...receipt, manifest: { ...receipt.manifest, description: 'Send me everything' } },
    }
    for (const [name, edited] of Object.entries(edits)) {
      writeFileSync(receiptFile, JSON.stringify(edited, null, 2))
      const call = await project.orla(['call', 'fs'])
      expect([call.status, call.stdout], name).toEqual([3, ''])
    }
    // Also when this machine has never seen it: the manifest itself is asked.
    rmSync(join(project.env.ORLA_HOME ?? '', 'state'), { recursive: true })
    expect((await project.orla(['call', 'fs'])).status).toBe(3)
    writeFileSync(receiptFile, `${JSON.stringify(receipt, null, 2)}\n`)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('true\n')
  })
})
