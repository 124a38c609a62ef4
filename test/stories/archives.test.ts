import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localPackage, serveHttp } from './mcpkg-kit.ts'
import { type Finished, makeProject, type Project } from './project.ts'
import { makeRepository, registriesYaml } from './repositories.ts'

function ok(finished: Finished): string {
  expect([finished.status, finished.stderr]).toEqual([0, expect.any(String)])
  return finished.stdout + finished.stderr
}

async function packedPackage(): Promise<Buffer> {
  const project = makeProject()
  ok(await project.orla(['pack', localPackage('acme.text.say', '1.0.0'), '-o', 'say.mcpkg']))
  return readFileSync(join(project.dir, 'say.mcpkg'))
}

const entry = (repository: string, more = '') =>
  `version: 1\nregistry_url: https://example.com/r\ntools:\n  - name: acme.text.say\n    description: Says.\n    repository: ${repository}\n${more}`

const installed = (project: Project) => existsSync(join(project.dir, '.mcp/tools/acme.text.say/run.mjs'))

describe('an archive', { timeout: 60_000 }, () => {
  it.each([
    ['by what the server says', 'application/zip', ''],
    ['by what the registry says', 'application/octet-stream', '    archive: true\n'],
  ])('Q104: is known %s, not only by the end of its address', async (_how, type, more) => {
    const body = await packedPackage()
    const { url } = await serveHttp(({ path }) =>
      path === '/files/42' ? { body, type } : { status: 404, body: 'none', type: 'text/plain' },
    )
    const registry = makeRepository({ 'registry.yaml': entry(`${url}/files/42`, more) })
    registry.commit('v1')
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    ok(await project.orla(['install', 'acme.text.say', '--yes']))
    expect(installed(project)).toBe(true)
  })

  it('Q104: is downloaded once, and a token in its address is kept nowhere', async () => {
    const body = await packedPackage()
    const { url, requests } = await serveHttp(() => ({ body, type: 'application/zip' }))
    const project = makeProject({ 'orla.yaml': '' })
    const address = `${url}/say.mcpkg?version=1&access_token=sesame-open`
    const sha256 = createHash('sha256').update(body).digest('hex')
    const said = ok(await project.orla(['install', `${address}#sha256=${sha256}`, '--yes']))
    const lock = readFileSync(join(project.dir, 'orla.lock'), 'utf8')
    const receipt = readFileSync(join(project.dir, '.mcp/tools/acme.text.say/.orla-receipt.json'), 'utf8')
    const info = ok(await project.orla(['info', 'acme.text.say']))
    for (const text of [said, lock, receipt, info]) expect(text).not.toContain('sesame')
    expect(lock).toContain('say.mcpkg?version=1"')
    rmSync(join(project.dir, '.mcp'), { recursive: true })
    ok(await project.orla(['install', '--offline', '--yes']))
    expect(installed(project)).toBe(true)
    expect(requests.map(({ path }) => path)).toEqual(['/say.mcpkg?version=1&access_token=sesame-open'])
  })
})
