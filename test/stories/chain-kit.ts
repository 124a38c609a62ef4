import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { connectHttp, type TestClient } from './clients.ts'
import { makeProject, ok, type Project } from './project.ts'

export interface StepText {
  readonly step: string
  readonly tool: string
  readonly [key: string]: unknown
}

/** A chain as a folder of the project; what it gives is not checked unless told. */
export function chainFiles(
  toolId: string,
  chain: readonly StepText[],
  more: Readonly<Record<string, unknown>> = {},
): Record<string, string> {
  return {
    [`tools/${toolId}/manifest.json`]: JSON.stringify({
      toolId,
      name: 'A chain',
      version: '1.0.0',
      description: 'Calls other tools.',
      capabilities: [],
      chain,
      input_schema: { type: 'object' },
      output_schema: {},
      ...more,
    }),
  }
}

/** Answers with what it was given and writes it down; fails, waits or fails at first when it is told. */
const NOTE = `#!/usr/bin/env node
// Writes down what it is given
const { appendFileSync, readFileSync } = require('node:fs')
const given = JSON.parse(readFileSync(0, 'utf8') || '{}')
appendFileSync('noted', JSON.stringify(given) + '\\n')
const times = readFileSync('noted', 'utf8').trim().split('\\n').length
if (given.wait) setTimeout(() => {}, 600_000)
else if (given.fail || times <= (given.failFirst ?? 0)) { console.error('it went wrong'); process.exitCode = 3 }
else process.stdout.write(JSON.stringify({ ...given, times }))
`

/** The same as a package with an output schema, so that later steps see its keys. */
const NOTE_FILES = {
  'tools/note/tool.yaml': [
    'name: note',
    'version: 1.0.0',
    'description: Writes down what it is given',
    'entrypoint: main',
    'mcp:',
    '  input_schema: {type: object}',
    '  output_schema: {type: object}',
    '',
  ].join('\n'),
  'tools/note/main': NOTE,
}

export function makeChains(files: Readonly<Record<string, string>>): Project {
  return makeProject({ 'orla.yaml': '', ...NOTE_FILES, ...files })
}

/** The same call by the command and by a client, each on a clean slate; both must give the same. */
export async function callBothWays(
  project: Project,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const called = JSON.parse(ok(await project.orla(['call', name, JSON.stringify(args), '--json'])))
  rmSync(join(project.dir, 'noted'), { force: true })
  const client = await connectTo(project)
  const answer = await client.call(name, args)
  expect([answer.isError ?? false, answer.structuredContent]).toEqual([false, called.structured])
  return called.structured
}

export async function connectTo(project: Project): Promise<TestClient> {
  return connectHttp('v2-modern', (await project.serve()).url)
}
