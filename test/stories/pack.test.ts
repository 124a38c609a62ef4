import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeFiles } from './files.ts'
import { localPackage } from './mcpkg-kit.ts'
import { type Finished, makeProject, ok, type Project } from './project.ts'

const json = (finished: Finished) => JSON.parse(finished.stdout)

const KEY = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n'

/** Installs it, so that what was packed shows. */
async function filesOf(project: Project, file: string): Promise<string[]> {
  ok(await project.orla(['install', file, '--yes']))
  const folder = join(project.dir, '.mcp/tools/acme.text.say')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}

describe('orla pack', { timeout: 60_000 }, () => {
  it('Q86: leaves out what nobody wants, and secrets unless they are asked for', async () => {
    const folder = localPackage('acme.text.say', '1.0.0')
    const project = makeProject({ 'orla.yaml': '' })
    const plain = json(await project.orla(['pack', folder, '--json']))
    expect(plain).toMatchObject({ files: 2, warnings: [], secrets: [] })
    writeFiles(folder, {
      '.git/config': 'x',
      '.svn/a': 'x',
      '.DS_Store': 'x',
      'lib/Thumbs.db': 'x',
      'run.mjs~': 'x',
      '.run.mjs.swp': 'x',
      '.idea/a.xml': 'x',
      '.env': 'TOKEN=1',
      'lib/deploy.pem': KEY,
      'acme.text.say-0.9.0.mcpkg': 'x',
    })
    const again = await project.orla(['pack', folder])
    expect(ok(again)).toMatch(/packed into/)
    expect(again.stderr).toMatch(/\.env, lib\/deploy\.pem look like secrets and are not packed/)
    expect(json(await project.orla(['pack', folder, '--json']))).toMatchObject({
      sha256: plain.sha256,
      secrets: ['.env', 'lib/deploy.pem'],
    })
    const all = json(await project.orla(['pack', folder, '--include-secrets', '--json']))
    expect(all.files).toBe(4)
    expect(all.warnings).toEqual([expect.stringMatching(/whoever has the package can read them/)])
    expect(await filesOf(project, all.file)).toEqual([
      '.env',
      '.orla-receipt.json',
      'lib',
      'lib/deploy.pem',
      'manifest.json',
      'run.mjs',
    ])
  })

  it('a line of .mcpkgignore decides, and node_modules is mentioned', async () => {
    const folder = localPackage('acme.text.say', '1.0.0')
    writeFiles(folder, {
      '.mcpkgignore': 'drafts/\n*.log\n!.env\n',
      '.env': 'PUBLIC=1',
      'drafts/a': 'x',
      'a.log': 'x',
      'node_modules/b/index.js': 'x'.repeat(2048),
    })
    mkdirSync(join(folder, 'node_modules/.bin'))
    symlinkSync('../b/index.js', join(folder, 'node_modules/.bin/b'))
    const project = makeProject({ 'orla.yaml': '' })
    const packed = json(await project.orla(['pack', folder, '--json']))
    expect(packed.warnings).toEqual([expect.stringMatching(/^node_modules is packed too: 1 file, 2/)])
    expect(packed.files).toBe(4)
    writeFiles(folder, { '.mcpkgignore': 'run.mjs\n' })
    const refused = await project.orla(['pack', folder])
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(/run\.mjs`, which is not in the package/)
  })

  it('a link that cannot be packed is what is told, and nothing else', async () => {
    const folder = localPackage('acme.text.say', '1.0.0')
    symlinkSync('/etc/hostname', join(folder, 'host'))
    const project = makeProject({ 'orla.yaml': '' })
    const { problems } = json(await project.orla(['validate', folder, '--json']))
    expect(problems).toMatchObject([
      { message: expect.stringMatching(/"host" is a link to an absolute path/) },
    ])
    const refused = await project.orla(['pack', folder])
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(/"host" is a link to an absolute path/)
    expect(refused.stderr).not.toMatch(/not in the package/)
  })
})
