import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { ConfigRequest } from '../src/app/config.ts'
import { generateKey } from '../src/app/signing/keys.ts'
import type { World } from '../src/app/world.ts'

/** A machine of its own, in this process: many packages are judged in the time one program takes to start. */
export function makeMachine(env: Readonly<Record<string, string>> = {}): {
  readonly world: World
  readonly request: ConfigRequest
  readonly dir: string
  readonly home: string
  key(name: string): Promise<string>
} {
  const base = mkdtempSync(join(tmpdir(), 'orla-signing-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const [dir, home] = [join(base, 'project'), join(base, 'home')]
  mkdirSync(dir)
  const silent = new PassThrough() as unknown as NodeJS.WriteStream // nothing is printed here
  const world: World = {
    env: { PATH: process.env.PATH, ORLA_HOME: home, ...env },
    cwd: dir,
    version: '0.0.0',
    folder: join(dirname(fileURLToPath(import.meta.url)), '..'),
    stdin: new PassThrough(),
    out: silent,
    err: silent,
    stdout: silent,
    stderr: silent,
    onSignal: () => () => {},
    onPanic: () => {},
  }
  const request = { flags: {} }
  return { world, request, dir, home, key: async (name) => (await generateKey(world, request, name)).key }
}
