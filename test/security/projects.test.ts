import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject, type Project } from '../stories/project.ts'

async function inForce(project: Project, env: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { stdout } = await project.orla(['config', '--json'], { env })
  const { settings } = JSON.parse(stdout) as { settings: { key: string; value: unknown }[] } // Orla wrote it
  return Object.fromEntries(settings.map(({ key, value }) => [key, value]))
}

const LAX = { signatures: 'off', 'sandbox.mode': 'off', 'sandbox.loose': false }
const STRICT = { signatures: 'require', 'sandbox.mode': 'require', 'sandbox.loose': true }

describe('a project that someone else wrote', () => {
  it('Q91, Q94: does not relax what its user wants everywhere, and may be stricter', async () => {
    const project = makeProject({
      'orla.yaml': 'signatures: off\nsandbox: {mode: off, loose: false}\n',
    })
    const user = (text: string) => {
      mkdirSync(project.env.ORLA_HOME ?? '', { recursive: true })
      writeFileSync(join(project.env.ORLA_HOME ?? '', 'config.yaml'), text)
    }
    // Who says nothing leaves it to the project.
    expect(await inForce(project)).toMatchObject(LAX)
    user('signatures: require\nsandbox: {mode: require, loose: true}\n')
    expect(await inForce(project)).toMatchObject(STRICT)
    // A person who says it now means it.
    expect(await inForce(project, { ORLA_SANDBOX: 'off' })).toMatchObject({
      ...STRICT,
      'sandbox.mode': 'off',
    })
    user('signatures: off\nsandbox: {mode: off, loose: false}\n')
    project.write({ 'orla.yaml': 'signatures: require\nsandbox: {mode: require, loose: true}\n' })
    expect(await inForce(project)).toMatchObject(STRICT)
  })
})
