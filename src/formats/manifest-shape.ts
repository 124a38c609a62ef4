import { checkInnerPath } from './inner-path.ts'
import { MCP_SECTION } from './mcp-section.ts'
import { checkPackageName, PACKAGE_NAME } from './package-name.ts'
import { parsePermission } from './permission.ts'
import { parseRequirement } from './requirement.ts'
import {
  duration,
  type Flaw,
  integer,
  list,
  map,
  object,
  oneOf,
  required,
  size,
  text,
  type ValueOf,
  words,
} from './shape.ts'
import { checkVersion, wholeVersion } from './version.ts'

const name = text('Name of the package: lower-case letters, digits and hyphens', {
  check: wrongName,
  pattern: PACKAGE_NAME,
})
const version = text('Version by SemVer 2.0, such as 1.0.0', {
  check: checkVersion,
  quoted: wholeVersion,
  pattern: /^\d+\.\d+\.\d+/,
})
const innerPath = (about: string) => text(about, { check: checkInnerPath })
const milliseconds = (about: string) => integer(about, { min: 1, max: 86_400_000 })
const argument = (about: string) => text(about, { check: wrongArgument })

/** What tool.yaml and orla-tool.json both say, each in its own place. */
export const RUNTIME_FIELDS = {
  startup_timeout_ms: milliseconds('Time until the capsule must have said hello'),
  hot_load: object('Restart when files change', {
    watch: list('Files and folders of the package to watch', innerPath('Path')),
    mode: oneOf('What happens then', ['restart']),
    debounce_ms: integer('Least time between a change and the restart', { min: 0, max: 86_400_000 }),
  }),
  env: map('Environment variables', argument('Value'), wrongVariable),
  args: list('Words before those of the call', argument('Word')),
}

export const IDENTITY_FIELDS = {
  name: required(name),
  version: required(version),
  entrypoint: required(innerPath('The executable, relative to the package')),
}

/** tool.yaml. */
export const MANIFEST = object(
  'What a package is, needs and runs',
  {
    name: IDENTITY_FIELDS.name,
    version: IDENTITY_FIELDS.version,
    description: required(words('What the tool does, for the model that chooses it')),
    entrypoint: IDENTITY_FIELDS.entrypoint,
    author: text('Person or organization'),
    license: text('SPDX identifier, such as MIT'),
    repository: text('Where the source is'),
    homepage: text('Where to read more'),
    language: text('What it is written in; for people and for searching'),
    keywords: list('Words to find it by', words('Word')),
    capabilities: list('What it can be used for, to find it by', words('Word')),
    dependencies: list(
      'What must be there: python>=3.8, jq, tool:fs>=0.2.0',
      text('Program or package', { check: wrongRequirement }),
    ),
    permissions: list(
      'What it may do: filesystem:read:./data, network:example.com, env:NAME',
      text('Permission', { check: wrongPermission }),
    ),
    mcp: MCP_SECTION,
    runtime: object('How it is run', {
      mode: oneOf('A process for each call, or one that stays', ['simple', 'capsule']),
      ...RUNTIME_FIELDS,
      timeout: duration('Time a call may take, in seconds or as 30s, 500ms'),
      handshake: oneOf('How a capsule says that it is ready', ['orla', 'mcp']),
      start: oneOf('Start a capsule with the first call, or with the server', ['lazy', 'eager']),
      health: object('Ask a capsule whether it is well', {
        interval_ms: milliseconds('Time between two questions'),
        timeout_ms: milliseconds('Time for the answer'),
      }),
      idle_timeout_ms: milliseconds('Time without calls after which a capsule is stopped'),
      max_concurrency: integer('Calls a capsule gets at once', { min: 1, max: 10_000 }),
      restart: object('After a crash', {
        base_ms: milliseconds('First pause'),
        cap_ms: milliseconds('Longest pause'),
        limit: integer('Crashes within the window after which it stays stopped', { min: 1, max: 10_000 }),
        window_ms: milliseconds('Window in which crashes are counted'),
      }),
    }),
    limits: object('Bounds it sets for itself', {
      timeout: duration('Time a call may take'),
      cpu: duration('Processor time a call may take'),
      memory: size('Memory'),
      processes: integer('Processes at once', { min: 1, max: 1_000_000 }),
      file_size: size('Largest file it may write'),
      output: size('Bytes it may print'),
    }),
    hooks: object('Programs of the package that Orla runs', {
      post_install: innerPath('After an install, when it was consented to'),
    }),
  },
  { extensions: true },
)

export type ManifestFile = ValueOf<typeof MANIFEST>

function wrongName(value: string): Flaw | undefined {
  const reason = checkPackageName(value)
  return reason === undefined
    ? undefined
    : { message: `cannot be ${JSON.stringify(value.slice(0, 80))}: ${reason}` }
}

function wrongRequirement(word: string): Flaw | undefined {
  const parsed = parseRequirement(word)
  return 'problem' in parsed ? parsed.problem : undefined
}

function wrongPermission(word: string): Flaw | undefined {
  const parsed = parsePermission(word)
  return parsed !== undefined && 'problem' in parsed ? parsed.problem : undefined
}

function wrongVariable(key: string): Flaw | undefined {
  const isWrong = key === '' || /[=\0]/.test(key)
  return isWrong ? { message: `${JSON.stringify(key)} cannot be the name of a variable` } : undefined
}

function wrongArgument(value: string): Flaw | undefined {
  return value.includes('\0') ? { message: 'must not have a NUL in it' } : undefined
}
