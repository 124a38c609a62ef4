import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { World } from '../world.ts'
import { programVersion } from './programs.ts'

let folder: string
let world: World
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-programs-'))
  const file = join(folder, 'spy')
  writeFileSync(file, `#!/bin/sh\nenv > '${folder}/seen'\necho spy 1.2.3\n`)
  chmodSync(file, 0o755)
  // Nothing else of a world is looked at.
  world = {
    cwd: folder,
    env: { PATH: `${folder}:/usr/bin:/bin`, ORLA_REGISTRY_TOKEN_A: 't0ken' },
  } as unknown as World
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('programs that packages need', () => {
  it('Q46: are asked for their version, and see no secret', () => {
    expect(programVersion(world, 'spy')).toBe('spy 1.2.3')
    expect(readFileSync(join(folder, 'seen'), 'utf8')).not.toContain('t0ken')
  })

  it('Q46: are not run when nobody wants to know the version', () => {
    expect(programVersion(world, 'spy', false)).toBeNull()
    expect(programVersion(world, 'nothing-of-that-name', false)).toBeUndefined()
    expect(existsSync(join(folder, 'seen'))).toBe(false)
  })
})
