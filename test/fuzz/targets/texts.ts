import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CONFIG,
  loadJsonPath,
  loadYaml,
  parseGrants,
  parseLock,
  parseReceipt,
  readManifest,
  readMcpkgManifest,
  readOpening,
  readOrlaToolJson,
  readRegistry,
} from '../../../src/formats/index.ts'
import { OrlaError } from '../../../src/model/index.ts'
import { promise, type Target, type Verdict } from '../target.ts'

const yaml = await loadYaml()
const jsonPath = await loadJsonPath()

interface Told {
  readonly line: number
  readonly column: number
  readonly message: string
  readonly severity?: 'error' | 'warning'
}

/** A text is refused with a reason, or understood; and a reason has a place in the text. */
function judged(text: string, understood: boolean, problems: readonly Told[]): Verdict {
  const lines = text.split('\n').length
  for (const { line, column, message } of problems) {
    promise(message.length > 0, 'a problem says what is wrong')
    promise(message.length < 20_000, 'a problem is no book')
    promise(Number.isInteger(line) && line >= 1 && line <= lines + 1, `line ${line} of ${lines}`)
    promise(Number.isInteger(column) && column >= 1, `column ${column}`)
  }
  const wrong = problems.some(({ severity }) => severity !== 'warning')
  promise(understood || wrong, 'what is refused has a reason')
  promise(!understood || !wrong, 'what has an error is refused')
  promise(Object.getPrototypeOf({}) === Object.prototype, 'prototypes stay what they are')
  promise(!('x' in {}), 'nothing is put into every object')
  return understood ? 'accepted' : 'refused'
}

/** What throws may do so only in words for people. */
function inWords(work: () => unknown): Verdict {
  try {
    return work() === undefined ? 'refused' : 'accepted'
  } catch (error) {
    promise(error instanceof OrlaError, `it throws ${String(error)}`)
    return 'refused'
  }
}

const GRANTS = `{"v": 1, "grants": [{"name": "fs", "version": "0.1.0", "digest": "ab", "permissions": ["network"],
 "pin": {"kind": "directory", "path": "/src/fs"}, "unenforced": ["files"],
 "accepted_at": "2026-11-15T10:00:00.000Z", "how": "--yes"}]}`

const MANIFEST = `name: fs
version: 0.1.0
description: Reads files
entrypoint: bin/fs
keywords: [files, "a b"]
dependencies: ['python>=3.8', jq]
permissions: [filesystem:read:./data, network:api.example.com]
limits: {memory: 256MiB, timeout: 30s}
mcp:
  input_schema: {path: string, depth: {type: integer, minimum: 0}}
runtime:
  mode: capsule
  env: {A: b}
  args: [--quiet]
  hot_load: {watch: [src], debounce_ms: 100}
`

const ORLA_TOOL = JSON.stringify({
  name: 'warm',
  version: '1.0.0',
  description: 'Stays',
  entrypoint: 'run.py',
  runtime: { mode: 'capsule' },
})

const REGISTRY = `version: 1
registry_url: https://example.com/registry.git
tools:
  - {name: fs, description: Files, repository: 'https://example.com/fs.git', keywords: [a], platforms: [linux-x64]}
  - name: com.example.pdf
    description: PDF
    repository: https://example.com/pdf.mcpkg
    sha256: ${'a'.repeat(64)}
`

const LOCK = JSON.stringify({
  v: 1,
  packages: [
    {
      name: 'fs',
      version: '0.1.0',
      pin: { kind: 'git', url: 'https://example.com/fs.git', tag: 'v0.1.0', commit: 'a'.repeat(40) },
      digest: 'b'.repeat(64),
      permissions: [],
      definition: 'c'.repeat(64),
    },
  ],
})

const SCRIPT = `#!/usr/bin/env -S python3 -u
# Greets someone
# @param name {string} who
# @param [times=1] {integer} how often
print("hello")
`

export const textTargets: readonly Target[] = [
  {
    name: 'tool.yaml',
    mostMs: 100,
    seeds: () => [Buffer.from(MANIFEST)],
    check(input) {
      const text = input.toString()
      const { manifest, problems } = readManifest(text, 'tool.yaml', yaml)
      return judged(text, manifest !== undefined, problems)
    },
  },
  {
    name: 'orla-tool.json',
    mostMs: 100,
    seeds: () => [Buffer.from(ORLA_TOOL)],
    check(input) {
      const text = input.toString()
      const { manifest, problems } = readOrlaToolJson(text, 'orla-tool.json')
      return judged(text, manifest !== undefined, problems)
    },
  },
  {
    name: 'manifest.json',
    mostMs: 100,
    seeds: () => fixtures('manifest.json'),
    check(input) {
      const text = input.toString()
      const { manifest, problems } = readMcpkgManifest(text, 'manifest.json', jsonPath)
      return judged(text, manifest !== undefined, problems)
    },
  },
  {
    name: 'registry.yaml',
    mostMs: 100,
    seeds: () => [Buffer.from(REGISTRY)],
    check(input) {
      const text = input.toString()
      const { problems } = readRegistry(text, 'registry.yaml', yaml)
      // One bad entry hides no other, so an index may be of use and have errors.
      return judged(
        text,
        problems.every(({ severity }) => severity === 'warning'),
        problems,
      )
    },
  },
  {
    name: 'orla.yaml',
    mostMs: 100,
    seeds: () => [
      Buffer.from('port: 4000\ntimeout: 30s\nregistries: [{name: a, url: ./r}]\nlimits: {output: 1MiB}\n'),
    ],
    check(input) {
      const text = input.toString()
      const { value, problems } = yaml(text, 'orla.yaml', CONFIG)
      return judged(text, value !== undefined && problems.length === 0, problems)
    },
  },
  {
    name: 'orla.lock',
    mostMs: 100,
    seeds: () => [Buffer.from(LOCK)],
    check: (input) => inWords(() => parseLock(input.toString(), 'orla.lock')),
  },
  {
    name: 'receipt',
    mostMs: 100,
    seeds: () => [Buffer.from(RECEIPT)],
    check: (input) => inWords(() => parseReceipt(input.toString())),
  },
  {
    name: 'grants.json',
    mostMs: 100,
    seeds: () => [Buffer.from(GRANTS)],
    check: (input) => inWords(() => parseGrants(input.toString(), 'grants.json')),
  },
  {
    name: 'header comment',
    mostMs: 100,
    seeds: () => [Buffer.from(SCRIPT)],
    check(input) {
      const opening = readOpening(input.toString(), false)
      return opening === undefined || opening.header.problems.length > 0 ? 'refused' : 'accepted'
    },
  },
]

const RECEIPT = receipt()

function receipt(): string {
  const { manifest } = readManifest(MANIFEST, 'tool.yaml', yaml)
  const { packages } = JSON.parse(LOCK) as { packages: readonly [{ pin: unknown; digest: string }] }
  const [{ pin, digest }] = packages
  const installed_at = '2026-01-01T00:00:00.000Z'
  return JSON.stringify({
    v: 1,
    name: 'fs',
    version: '0.1.0',
    pin,
    digest,
    installed_at,
    permissions: [],
    manifest,
  })
}

/** Of the packages that the stories use. */
function fixtures(name: string): Buffer[] {
  const folder = fileURLToPath(new URL('../../fixtures/mcpkg', import.meta.url))
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(name) && statSync(join(folder, path)).isFile())
    .map((path) => readFileSync(join(folder, path)))
}
