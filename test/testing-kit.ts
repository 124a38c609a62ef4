import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type LoadedConfig, loadConfig } from '../src/app/config.ts'
import { type OneOff, openOneOff } from '../src/app/one-off.ts'
import type { TestSubject } from '../src/app/testing/subject.ts'
import type { World } from '../src/app/world.ts'
import type { Candidate, Json, Tool } from '../src/model/index.ts'
import { A_PACKAGE } from './package-facts.ts'

/** A runtime of its own for a test, in a temporary folder that goes with it. */
export async function openBench(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly folder: string; readonly loaded: LoadedConfig; readonly runtime: OneOff }> {
  const base = mkdtempSync(join(tmpdir(), 'orla-testing-'))
  const folder = join(base, 'package')
  mkdirSync(folder)
  const world: World = {
    env: { PATH: process.env.PATH, ORLA_HOME: join(base, 'home') },
    cwd: base,
    version: '0.0.0',
    folder: base,
    stdin: process.stdin,
    out: process.stdout,
    err: process.stderr,
    stdout: process.stdout,
    stderr: process.stderr,
    onSignal: () => () => {},
    onPanic() {},
  }
  const loaded = await loadConfig(world, { flags: settings })
  const runtime = openOneOff(world, loaded)
  onTestFinished(async () => {
    await runtime.close()
    rmSync(base, { recursive: true, force: true })
  })
  return { folder, loaded, runtime }
}

/** A package with one tool that has these implementations, and these tests. */
export function makeSubject(
  folder: string,
  candidates: readonly Candidate[],
  tests: Readonly<Record<string, Json | string>>,
): TestSubject {
  const tool: Tool = {
    name: 'demo.echo',
    version: '1.0.0',
    description: 'Echoes.',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    outputSchema: { type: 'object', required: ['message'] },
    origin: {
      kind: 'package',
      file: join(folder, 'manifest.json'),
      folder,
      scope: 'project',
      package: A_PACKAGE,
    },
    run: { kind: 'implementations', candidates },
    digest: folder,
  }
  const testFiles = Object.entries(tests).map(([name, test]) => {
    const file = join(folder, 'tests', `${name}.test.json`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof test === 'string' ? test : JSON.stringify(test))
    return file
  })
  return { name: tool.name, tools: [tool], folder, testFiles }
}

/** A program of the package that runs this shell script with its arguments as the first word. */
export function localCandidate(folder: string, script: string): Candidate {
  const file = join(folder, 'run.sh')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return { id: 'local', kind: 'local', command: { file, args: [], cwd: folder, script: file } }
}

export function httpCandidate(url: string): Candidate {
  return {
    id: 'http',
    kind: 'http',
    endpoint: { type: 'http', method: 'POST', url },
    auth: { type: 'none', scopes: [], env: [], hints: {} },
  }
}
