import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
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
import { eventually, makeProject, ok, type Project } from '../stories/project.ts'
import { makeRegistry, makeToolRepository, registriesYaml } from '../stories/repositories.ts'

/** What someone who may write there can do to it, and what is said of it then. */
const ATTACKS: Readonly<Record<string, readonly [(folder: string, name: string) => void, RegExp]>> = {
  edited: [(folder, name) => rewrite(join(folder, 'bin', name), 'echo', 'evil'), /bin\/edited changed/],
  added: [(folder) => writeFileSync(join(folder, 'bin/more'), ''), /bin\/more was added/],
  beside: [(folder) => writeFileSync(join(folder, 'more'), ''), /more was added/],
  gone: [(folder, name) => rmSync(join(folder, 'bin', name)), /bin\/gone not there|bin\/gone is not there/],
  mode: [(folder, name) => chmodSync(join(folder, 'bin', name), 0o644), /bin\/mode changed/],
  manifest: [
    (folder) => rewrite(join(folder, 'tool.yaml'), 'Says', 'Evil'),
    /was changed after it was installed/,
  ],
  receipt: [
    (folder) => rewrite(join(folder, '.orla-receipt.json'), 'Says', 'Evil'),
    /its receipt is not what was written/,
  ],
  linked: [
    (folder, name) => {
      renameSync(join(folder, 'bin', name), join(folder, '../../../aside'))
      symlinkSync('../../../../aside', join(folder, 'bin', name))
    },
    /bin\/linked changed/,
  ],
  swapped: [
    (folder) => {
      // A whole other folder in its place, with the times of the first.
      cpSync(folder, `${folder}.new`, { recursive: true, preserveTimestamps: true })
      rewrite(join(`${folder}.new`, 'bin/swapped'), 'echo', 'evil')
      rmSync(folder, { recursive: true })
      renameSync(`${folder}.new`, folder)
    },
    /bin\/swapped changed/,
  ],
}

/** The same size, and the same time of change. */
function rewrite(file: string, from: string, to: string): void {
  const { atime, mtime } = statSync(file)
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
  utimesSync(file, atime, mtime)
}

/** Installed packages, each of which is known to be as it was. */
async function known(names: readonly string[]): Promise<Project> {
  const repositories = Object.fromEntries(names.map((name) => [name, makeToolRepository(name, ['1.0.0'])]))
  const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry(repositories)]) })
  ok(await project.orla(['install', ...names, '--yes']))
  await eventually(async () => {
    ok(await project.orla(['list']))
    return names.every((name) => knownText(project).includes(`tools/${name}/1.0.0"`))
  }, 'all packages to be known')
  return project
}

function knownFile({ env }: Project): string {
  const folder = join(env.ORLA_HOME ?? '', 'cache/known')
  return existsSync(folder) ? join(folder, readdirSync(folder)[0] ?? '') : folder
}

function knownText(project: Project): string {
  const file = knownFile(project)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

interface Listed {
  readonly tools: readonly { readonly name: string }[]
  readonly problems: readonly { readonly file: string; readonly message: string }[]
}

async function list(project: Project): Promise<Listed> {
  return JSON.parse(ok(await project.orla(['list', '--json']))) as Listed // as `orla list --json` is documented
}

describe('a package that is known to be as it was installed', () => {
  it('Q89: is shown and refused as soon as anything of it changes', async () => {
    const project = await known([...Object.keys(ATTACKS), 'left-alone'])
    expect((await list(project)).problems).toEqual([])
    // One after the other: a scan takes no more than its share of time for what has changed.
    for (const [name, [attack, said]] of Object.entries(ATTACKS)) {
      const folder = join(project.dir, 'tools', name, '1.0.0')
      attack(folder, name)
      const { tools, problems } = await list(project)
      expect(problems.map(({ message }) => message).join()).toMatch(said)
      expect(tools.map((tool) => tool.name)).not.toContain(name)
      expect((await project.orla(['call', name])).status).not.toBe(0)
      rmSync(folder, { recursive: true })
    }
    expect(ok(await project.orla(['call', 'left-alone']))).toContain('left-alone 1.0.0')
  })

  it('Q89: is held to another orla.lock as soon as there is one', async () => {
    const project = await known(['fs', 'git'])
    const lock = join(project.dir, 'orla.lock')
    const text = readFileSync(lock, 'utf8')
    const { packages } = JSON.parse(text) as {
      packages: { name: string; digest: string; definition: string }[]
    }
    const [fs, git] = packages
    rewrite(lock, fs?.digest ?? '', 'f'.repeat(64))
    rewrite(lock, git?.definition ?? '', 'e'.repeat(64))
    const messages = (await list(project)).problems.map(({ message }) => message)
    expect(messages).toEqual([
      'is not served: it is not what orla.lock says',
      expect.stringContaining('tells models something else'),
    ])
    // A link leads to whatever someone puts at its end.
    writeFileSync(`${lock}.real`, text)
    rmSync(lock)
    symlinkSync(`${lock}.real`, lock)
    expect((await list(project)).problems).toEqual([])
    writeFileSync(`${lock}.real`, text.replace(fs?.digest ?? '', 'f'.repeat(64)))
    expect((await list(project)).problems).toHaveLength(1)
  })

  it('is found out anew when what was kept is damaged, and forgotten when it is gone', async () => {
    const project = await known(['fs', 'git'])
    const good = await list(project)
    const text = knownText(project)
    const shapes = [
      '',
      text.slice(0, text.length / 2),
      '[]',
      '{"v":1,"packages":{}}',
      text.replaceAll('"stats":[', '"stats":["x",'),
      text.replaceAll('"receipt":{', '"receipt":7,"other":{'),
      text.replaceAll('"line":"', '"line":1,"other":"'),
    ]
    for (const damaged of shapes) {
      writeFileSync(knownFile(project), damaged)
      // An answer that was kept does not depend on it.
      rmSync(join(project.env.ORLA_HOME ?? '', 'cache/answers'), { recursive: true, force: true })
      expect(await list(project)).toEqual(good)
      expect(JSON.parse(knownText(project))).toEqual(JSON.parse(text))
    }
    chmodSync(knownFile(project), 0o666)
    expect(await list(project)).toEqual(good)
    rmSync(join(project.dir, 'tools/git'), { recursive: true })
    appendFileSync(join(project.dir, 'orla.lock'), '\n')
    await eventually(async () => {
      expect((await list(project)).tools.map(({ name }) => name)).toEqual(['fs'])
      return !knownText(project).includes('tools/git/')
    }, 'the package that is gone to be forgotten')
  })
})
