import { join, resolve } from 'node:path'
import { checkPackageName, isToolId, manifestJsonSchema } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import { isFolder, makeFolder, writeFileAtomic } from '../../platform/index.ts'
import type { World } from '../world.ts'
import { capsuleSource } from './capsule-files.ts'
import { mcpkgFiles } from './scaffold-mcpkg.ts'

export type Language = 'sh' | 'python' | 'node'

export interface Wish {
  readonly language?: Language | undefined
  readonly capsule: boolean
  readonly mcpkg: boolean
  /** With `mcpkg`: the endpoint that carries it out. */
  readonly http?: string | undefined
}

/** A package that validates, passes its test and can be installed at once. */
export function scaffoldPackage(
  world: World,
  name: string,
  wish: Wish,
): { folder: string; written: string[] } {
  return writePackage(world, name, wish.mcpkg ? mcpkgWish(name, wish) : toolFiles(name, wish))
}

/** Nothing that is there is touched. */
export function writePackage(
  world: World,
  name: string,
  files: Readonly<Record<string, string>>,
): { folder: string; written: string[] } {
  const folder = resolve(world.cwd, name)
  if (isFolder(folder))
    throw new OrlaError('E_FILE', `${folder} is there already`, { hint: 'choose another name' })
  const written: string[] = []
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    makeFolder(join(file, '..'))
    writeFileAtomic(file, content, content.startsWith('#!') ? 0o755 : 0o644)
    written.push(join(name, path))
  }
  return { folder, written }
}

function mcpkgWish(name: string, { language, capsule, http }: Wish): Record<string, string> {
  if (!capsule) return mcpkgFiles(name, language, http)
  throw new OrlaError('E_USAGE', '--capsule and --mcpkg exclude each other', {
    hint: 'a capsule is a package with a tool.yaml',
  })
}

function toolFiles(name: string, wish: Wish): Record<string, string> {
  if (wish.http !== undefined)
    throw new OrlaError('E_USAGE', '--http is for an .mcpkg', { hint: 'add --mcpkg' })
  const wrong = checkPackageName(name)
  if (wrong === undefined) return filesOf(name, sourceOf(name, wish))
  throw new OrlaError(
    'E_USAGE',
    `${JSON.stringify(name)} cannot be the name of a package: ${wrong}`,
    isToolId(name) ? { hint: 'as the toolId of an .mcpkg it can: add --mcpkg' } : {},
  )
}

/** What depends on the language, and on whether the process stays. */
interface Source {
  readonly language: Language
  readonly entrypoint: string
  readonly files: Readonly<Record<string, string>>
  readonly needs?: string
  readonly runtime?: string
}

function sourceOf(name: string, { language, capsule }: Wish): Source {
  if (!capsule) return simpleSource(name, language ?? 'sh')
  const own = language ?? 'node' // Orla itself runs on Node, so it is there
  if (own !== 'sh') return { language: own, ...capsuleSource(name, own) }
  throw new OrlaError('E_USAGE', 'a new capsule is written in python or node', {
    hint: 'use --lang python or --lang node',
  })
}

function simpleSource(name: string, language: Language): Source {
  const needs = { sh: undefined, python: 'python>=3.8', node: 'node>=18' }[language]
  const entrypoint = `bin/${name}`
  const source = { language, entrypoint, files: { [entrypoint]: PROGRAMS[language] } }
  return needs === undefined ? source : { ...source, needs }
}

function filesOf(name: string, source: Source): Record<string, string> {
  return {
    'tool.yaml': manifest(name, source),
    ...source.files,
    'tests/greets.test.json': `${JSON.stringify({ name: 'greets', input: { name: 'Ada' }, expected: { greeting: 'Hello, Ada!' } }, null, 2)}\n`,
    'README.md': `# ${name}\n\nGreets someone. \`orla test .\` runs its tests, \`orla install --local . --link\` serves it from here.\n`,
    'CHANGELOG.md': '# Changelog\n\n## 0.1.0\n\n- First version.\n',
    '.orla/tool.schema.json': `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`,
    '.gitignore': '__pycache__/\nnode_modules/\n.venv/\n',
  }
}

/** What people search for. */
const LANGUAGES: Readonly<Record<Language, string>> = { sh: 'shell', python: 'python', node: 'javascript' }

function manifest(name: string, { entrypoint, language, needs, runtime = '' }: Source): string {
  const dependencies = needs === undefined ? '' : `dependencies:\n  - ${needs}\n`
  return `# yaml-language-server: $schema=.orla/tool.schema.json
name: ${name}
version: 0.1.0
description: Greets someone
entrypoint: ${entrypoint}
language: ${LANGUAGES[language]}
license: MIT
keywords: [sample]
${dependencies}permissions: []            # what it may touch: filesystem:read:./data, network:example.com, env:NAME
mcp:
  input_schema:
    type: object
    properties:
      name: { type: string, description: Who to greet }
    required: [name]
  output_schema:
    type: object
    properties:
      greeting: { type: string }
    required: [greeting]
${runtime}`
}

const PROGRAMS: Readonly<Record<Language, string>> = {
  sh: `#!/bin/sh
# Arguments arrive as flags: --name Ada
while [ $# -gt 1 ]; do
  case $1 in --name) name=$2 ;; esac
  shift 2
done
# Quotes and backslashes must be escaped in JSON.
escaped=$(printf '%s' "$name" | sed 's/[\\\\"]/\\\\&/g')
printf '{"greeting": "Hello, %s!"}\\n' "$escaped"
`,
  python: `#!/usr/bin/env python3
"""Arguments arrive as one JSON object on standard input."""
import json
import sys

arguments = json.load(sys.stdin)
print(json.dumps({"greeting": f"Hello, {arguments['name']}!"}))
`,
  node: `#!/usr/bin/env node
// Arguments arrive as one JSON object on standard input.
let input = ''
process.stdin.on('data', (chunk) => { input += chunk })
process.stdin.on('end', () => {
  const { name } = JSON.parse(input)
  console.log(JSON.stringify({ greeting: \`Hello, \${name}!\` }))
})
`,
}
