import { describe, expect, it } from 'vitest'
import { CONFIG } from './config.ts'
import { addRegistry, dropRegistry, setVersion } from './edit-config.ts'
import { loadYaml } from './yaml.ts'

const readYaml = await loadYaml()
const read = (source: string) => readYaml(source, 'orla.yaml', CONFIG)
const DEFAULT = { name: 'default', url: 'https://git.example.com/default' }
const MINE = { name: 'mine', url: '../registry' }

const FILE = `# yaml-language-server: $schema=x
port: 9000 # ours

# chosen by hand
versions:
  fs: 1.0.0 # works
`

describe('changing orla.yaml', () => {
  it('Q67: chooses a version and keeps everything else', async () => {
    const edited = await setVersion(FILE, 'http', '2.1.0')
    expect(edited).toBe(`${FILE}  http: 2.1.0\n`)
    expect(await setVersion(edited, 'http', undefined)).toBe(FILE)
    expect(await setVersion(FILE, 'fs', '1.1.0')).toBe(FILE.replace('1.0.0', '1.1.0'))
  })

  it('Q67: starts and ends the map of versions', async () => {
    expect(await setVersion('', 'fs', '1.0.0')).toBe('versions:\n  fs: 1.0.0\n')
    expect(await setVersion('port: 1\nversions:\n  fs: 1.0.0\n', 'fs', undefined)).toBe('port: 1\n')
    expect(await setVersion('port: 1\n', 'fs', undefined)).toBe('port: 1\n')
    expect(await setVersion('# mine\n', 'fs', '1.0.0')).toContain('# mine')
    expect(read(await setVersion('versions:\n', 'fs', '1.0.0')).value).toEqual({ versions: { fs: '1.0.0' } })
  })

  it('Q94: a first registry is written below those that were in force', async () => {
    const edited = await addRegistry('port: 1\n', MINE, [DEFAULT])
    expect(read(edited)).toMatchObject({ value: { port: 1, registries: [DEFAULT, MINE] }, problems: [] })
  })

  it('Q94: further ones follow, and comments stay', async () => {
    const before = `registries:\n  # the team\n  - name: team\n    url: x # here\n`
    const edited = await addRegistry(before, MINE, [DEFAULT])
    expect(edited).toBe(`${before}  - name: mine\n    url: ../registry\n`)
    expect(await dropRegistry(edited, 'mine', [DEFAULT])).toBe(before)
    const moved = await addRegistry(edited, { name: 'mine', url: 'y' }, [])
    expect(read(moved).value).toEqual({
      registries: [
        { name: 'team', url: 'x' },
        { name: 'mine', url: 'y' },
      ],
    })
  })

  it('Q94: the default one can be dropped too', async () => {
    expect(read(await dropRegistry('', 'default', [DEFAULT])).value).toEqual({ registries: [] })
    expect(read(await addRegistry('registries: []\n', MINE, [DEFAULT])).value).toEqual({ registries: [MINE] })
  })

  it('leaves the lines of other keys exactly as they are written', async () => {
    const before = `port:   9000      # aligned\n\n\nlimits: {output: "1MB",concurrency: 4}\nregistries:\n- {name: team, url: "x"}\n\n\n# the end of it\ntimeout:   '30s'\n`
    const edited = await addRegistry(before, MINE, [])
    expect(edited).toBe(before.replace('"x"}\n', '"x"}\n- name: mine\n  url: ../registry\n'))
    expect(await dropRegistry(edited, 'mine', [])).toBe(before)
    const chosen = await setVersion(before, 'fs', '1.0.0')
    expect(chosen).toBe(`${before}versions:\n  fs: 1.0.0\n`)
    expect(await setVersion(chosen, 'fs', undefined)).toBe(before)
  })

  it('writes a file anew that is one line', async () => {
    expect(read(await setVersion('{port: 1}', 'fs', '1.0.0')).value).toEqual({
      port: 1,
      versions: { fs: '1.0.0' },
    })
    expect(await setVersion('port: 1', 'fs', '1.0.0')).toBe('port: 1\nversions:\n  fs: 1.0.0\n')
  })

  it('does not touch a file that is broken', async () => {
    for (const source of ['a: [', '- x\n', 'versions: 3\n']) {
      await expect(setVersion(source, 'fs', '1.0.0')).rejects.toMatchObject({ code: 'E_CONFIG' })
    }
    await expect(addRegistry('registries: x\n', MINE, [])).rejects.toMatchObject({ code: 'E_CONFIG' })
  })
})
