import { checkToolId } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import type { Language } from './scaffold.ts'

/** The files of a new .mcpkg: a program of its own, or an endpoint elsewhere. */
export function mcpkgFiles(
  toolId: string,
  language: Language | undefined,
  url: string | undefined,
): Record<string, string> {
  requireToolId(toolId)
  if (url === undefined) return localFiles(toolId, language ?? 'node')
  if (language !== undefined)
    throw new OrlaError('E_USAGE', 'a tool behind an HTTP endpoint is written in nothing here', {
      hint: 'leave out --lang, or --http',
    })
  return httpFiles(toolId, url)
}

/** Throws when it cannot be the name of an .mcpkg. */
export function requireToolId(toolId: string): void {
  const flaw = checkToolId(toolId)
  if (flaw !== undefined)
    throw new OrlaError(
      'E_USAGE',
      `a toolId ${flaw.message}`,
      flaw.hint === undefined ? {} : { hint: flaw.hint },
    )
}

function localFiles(toolId: string, language: Language): Record<string, string> {
  const { file, source, ...implementation } = PROGRAMS[language]
  return {
    'manifest.json': manifestFile(toolId, 'Greets someone.', ['sample', 'text'], {
      implementations: [{ id: language, ...implementation }],
      permissions: [],
      input_schema: shapeOf('name', 'Who to greet'),
      output_schema: shapeOf('greeting', 'The greeting'),
    }),
    [file]: source,
    ...about(toolId, 'Greets someone.', { name: 'Ada' }, { greeting: 'Hello, Ada!' }),
  }
}

function httpFiles(toolId: string, url: string): Record<string, string> {
  const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  if (!isUrl) throw new OrlaError('E_USAGE', `${JSON.stringify(url)} is not an http(s) URL`)
  const echo = { message: 'hello' }
  return {
    'manifest.json': manifestFile(toolId, 'Sends back the message it receives.', ['sample', 'echo'], {
      endpoint: { type: 'http', method: 'POST', url, timeoutMs: 5000 },
      input_schema: shapeOf('message', 'What to send'),
      output_schema: shapeOf('message', 'The same message'),
    }),
    ...about(toolId, 'Sends back the message it receives.', echo, echo),
  }
}

function manifestFile(
  toolId: string,
  description: string,
  capabilities: readonly string[],
  more: Readonly<Record<string, unknown>>,
): string {
  const name = toolId.split('.').at(-1) ?? toolId
  return json({
    toolId,
    name: name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
    version: '0.1.0',
    description,
    capabilities,
    ...more,
    tests: ['tests/basic.test.json'],
    examples: ['examples/basic_usage.md'],
    meta: { license: 'MIT' },
  })
}

function shapeOf(key: string, description: string): Readonly<Record<string, unknown>> {
  return { type: 'object', properties: { [key]: { type: 'string', description } }, required: [key] }
}

function about(toolId: string, what: string, input: object, expected: object): Record<string, string> {
  return {
    'tests/basic.test.json': json({ name: 'basic', description: what, input, expected }),
    'examples/basic_usage.md': `# Basic usage\n\n${what} Called with\n\n\`\`\`json\n${json(input)}\`\`\`\n\nit answers\n\n\`\`\`json\n${json(expected)}\`\`\`\n`,
    'README.md': `# ${toolId}\n\n${what} \`orla test .\` runs its tests, \`orla pack .\` makes the .mcpkg, \`orla install --local . --link\` serves it from here.\n`,
    '.gitignore': '*.mcpkg\n__pycache__/\nnode_modules/\n',
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

interface Program {
  readonly language: string
  readonly runtime?: string
  readonly endpoint: { readonly type: 'local'; readonly command: string }
  readonly requirements?: Readonly<Record<string, string>>
  readonly file: string
  readonly source: string
}

const PROGRAMS: Readonly<Record<Language, Program>> = {
  node: {
    language: 'javascript',
    runtime: 'node',
    endpoint: { type: 'local', command: 'node ./bin/greet.mjs' },
    requirements: { minNodeVersion: '18.0.0' },
    file: 'bin/greet.mjs',
    source: `// The arguments are the last word, as one JSON object; they are on standard input, too.
import { argv } from 'node:process'

const { name } = JSON.parse(argv.at(-1))
console.log(JSON.stringify({ greeting: \`Hello, \${name}!\` }))
`,
  },
  python: {
    language: 'python',
    runtime: 'python3',
    endpoint: { type: 'local', command: 'python3 ./bin/greet.py' },
    file: 'bin/greet.py',
    source: `"""The arguments are the last word, as one JSON object; they are on standard input, too."""
import json
import sys

arguments = json.loads(sys.argv[-1])
print(json.dumps({"greeting": f"Hello, {arguments['name']}!"}))
`,
  },
  sh: {
    language: 'shell',
    endpoint: { type: 'local', command: 'sh ./bin/greet.sh' },
    file: 'bin/greet.sh',
    source: `# The arguments are the last word, as one JSON object; they are on standard input, too.
# What stands between the quotes is escaped for JSON already, and goes into JSON again.
name=$(printf '%s' "$1" | sed -n 's/.*"name":"\\(\\([^"\\\\]\\|\\\\.\\)*\\)".*/\\1/p')
printf '{"greeting": "Hello, %s!"}\\n' "$name"
`,
  },
}
