import { checkInnerPath } from '../inner-path.ts'
import { parsePermission } from '../permission.ts'
import {
  anyObject,
  type Flaw,
  list,
  patchy,
  required,
  type Shape,
  text,
  type ValueOf,
  words,
} from '../shape.ts'
import { checkVersion } from '../version.ts'
import { AUTH } from './auth.ts'
import { CHAIN_STEP } from './chain.ts'
import { checkTogether } from './check-together.ts'
import { ENDPOINT } from './endpoint.ts'
import { IMPLEMENTATION } from './implementation.ts'
import { lenient } from './lenient.ts'
import { refine } from './refine.ts'
import { checkToolId, TOOL_ID } from './tool-id.ts'

const innerPath = (about: string) => text(about, { check: checkInnerPath })

/** Also the whole of meta/publisher.json. */
export const PUBLISHER = lenient('Who publishes it', {
  id: words('Id in a registry'),
  name: words('Name'),
  website: text('Where to read more'),
  contact: text('Where to write to'),
})

/** meta/provenance.json. */
export const PROVENANCE = lenient('What it was built from', {
  sourceRepo: text('Repository'),
  commit: text('Commit'),
  builtAt: text('When'),
  builtBy: text('By whom'),
})

/** The keys of manifest.json (MCPKG §4, §10, §11). */
const FIELDS = lenient('What a package is and how it is carried out', {
  toolId: required(
    text('Unique name, such as acme.crm.search_customers', { check: checkToolId, pattern: TOOL_ID }),
  ),
  name: required(words('Name for people')),
  version: required(
    text('Version by SemVer 2.0, such as 1.0.0', { check: checkVersion, pattern: /^\d+\.\d+\.\d+/ }),
  ),
  description: required(words('What the tool does, for the model that chooses it')),
  capabilities: required(list('What it can be used for, to find it by', words('Word'))),
  endpoint: ENDPOINT,
  input_schema: required(anyObject('JSON Schema of the arguments')),
  output_schema: required(anyObject('JSON Schema of the result')),
  auth: AUTH,
  tests: patchy('Test files of the package', innerPath('Path')),
  examples: patchy('Texts that show how it is used', innerPath('Path')),
  implementations: patchy('Ways to carry it out, best first', IMPLEMENTATION),
  chain: patchy('Steps, each a call of another tool', CHAIN_STEP),
  permissions: list('What local implementations may do', text('Permission', { check: wrongPermission })),
  meta: lenient('About the package', {
    publisher: PUBLISHER,
    license: text('SPDX identifier, or words'),
    homepage: text('Where to read more'),
    tags: list('Words to find it by', words('Word')),
  }),
})

/** What could be read of a manifest.json. */
export type McpkgFile = Partial<ValueOf<typeof FIELDS>>

export const MCPKG: Shape<McpkgFile> = refine(FIELDS, (value, looking) => {
  checkTogether(value, looking)
  return value
})

function wrongPermission(word: string): Flaw | undefined {
  const parsed = parsePermission(word)
  return parsed !== undefined && 'problem' in parsed ? parsed.problem : undefined
}
