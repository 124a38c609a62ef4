import type { RegistryEntry } from '../model/index.ts'
import { compact } from './compact.ts'
import { checkLocation } from './location.ts'
import { checkInstallName } from './mcpkg/install-name.ts'
import type { PlacedProblem } from './placed.ts'
import {
  bool,
  type Flaw,
  integer,
  list,
  object,
  required,
  sound,
  text,
  type ValueOf,
  words,
} from './shape.ts'
import type { ReadYaml } from './yaml.ts'

const MAX_CHARACTERS = 4 * 1_048_576

const strings = (about: string) => list(about, text('Word'))

const ENTRY = object(
  'One tool',
  {
    name: required(text('Name of the package', { check: wrongName })),
    description: required(words('What it does')),
    repository: required(text('Git repository or download', { check: checkLocation })),
    maintainer: text('Person or organization'),
    keywords: strings('Words to find it by'),
    capabilities: strings('What it can be used for'),
    language: text('What it is written in'),
    platforms: strings('Where it runs, such as linux-x64'),
    archive: bool('The repository is a file to download, whatever its address ends in'),
    sha256: text('Checksum of a download', {
      pattern: /^[0-9a-fA-F]{64}$/,
      expected: '64 hexadecimal digits',
    }),
  },
  { open: true },
)

const REGISTRY = object(
  'An index of tools',
  {
    version: required(integer('Version of this format', { min: 1, max: 1 })),
    registry_url: required(text('Where this registry lives', { check: checkLocation })),
    tools: sound('The tools', ENTRY),
  },
  { open: true },
)

export interface RegistryReading {
  readonly version: number | null
  readonly registryUrl: string | null
  /** The sound ones. A broken entry is a problem and hides no other. */
  readonly entries: readonly RegistryEntry[]
  readonly problems: readonly PlacedProblem[]
}

/** registry.yaml (RFC 3 §6.3). Keys it does not know are passed over. */
export function readRegistry(source: string, file: string, readYaml: ReadYaml): RegistryReading {
  const { value, problems, problemAt } = readYaml(source, file, REGISTRY, { maxCharacters: MAX_CHARACTERS })
  const entries = new Map<string, RegistryEntry>()
  const twins: PlacedProblem[] = []
  for (const { value: entry, index } of value?.tools ?? []) {
    if (entries.has(entry.name)) {
      const message = `\`${entry.name}\` stands here a second time; the first one counts`
      twins.push({ ...problemAt(['tools', index, 'name'], { message }), message })
    } else entries.set(entry.name, toEntry(entry))
  }
  return {
    version: value?.version ?? null,
    registryUrl: value?.registry_url ?? null,
    entries: [...entries.values()],
    problems: [...problems, ...twins],
  }
}

function toEntry(entry: ValueOf<typeof ENTRY>): RegistryEntry {
  return compact<RegistryEntry>({
    name: entry.name,
    description: entry.description,
    repository: entry.repository,
    maintainer: entry.maintainer,
    keywords: entry.keywords ?? [],
    capabilities: entry.capabilities ?? [],
    language: entry.language,
    platforms: entry.platforms ?? [],
    sha256: entry.sha256?.toLowerCase(),
    // Only a download has a checksum.
    archive: entry.archive === true || entry.sha256 !== undefined || undefined,
  })
}

function wrongName(name: string): Flaw | undefined {
  const reason = checkInstallName(name)
  return reason === undefined
    ? undefined
    : { message: `cannot be ${JSON.stringify(name.slice(0, 80))}: ${reason}` }
}
