import { type Grant, type GrantKey, OrlaError } from '../model/index.ts'
import { compact } from './compact.ts'
import { readJson } from './json.ts'
import { checkInstallName } from './mcpkg/install-name.ts'
import { orderPin, PIN } from './pin-shape.ts'
import { integer, list, object, oneOf, required, text } from './shape.ts'
import { checkVersion, compareVersions } from './version.ts'

const GRANTS = object('grants.json', {
  v: required(integer('Version of this format', { min: 1, max: 1_000_000 })),
  grants: required(
    list(
      'What was accepted',
      object('One package', {
        name: required(
          text('Name', { check: (name) => (checkInstallName(name) === undefined ? undefined : NO_NAME) }),
        ),
        version: required(text('Version', { check: checkVersion })),
        digest: required(text('Digest of its content', { pattern: /^\S+$/, expected: 'a hash' })),
        pin: PIN,
        permissions: required(list('Permissions that were accepted', text('Permission'))),
        unenforced: required(list('What the host could not enforce', text('Rule'))),
        accepted_at: required(text('When', { check: checkTime })),
        how: required(oneOf('How', ['prompt', '--yes', 'grant', 'elicitation', 'unasked'])),
      }),
    ),
  ),
})

const NO_NAME = { message: 'is not the name of a package' }

function checkTime(written: string) {
  return Number.isNaN(Date.parse(written)) ? { message: 'is not a time' } : undefined
}

/** grants.json as Orla wrote it. Anything else is `E_FILE`: of a damaged file nothing is granted. */
export function parseGrants(source: string, file: string): readonly Grant[] {
  const { value, problems } = readJson(source, file, GRANTS)
  if (value !== undefined && Number.isInteger(value.v) && value.v > 1) {
    throw new OrlaError('E_FILE', `${file} was written by a newer Orla (format ${value.v})`, {
      hint: 'update Orla',
    })
  }
  const [first] = problems
  if (value !== undefined && first === undefined) return value.grants.map((grant) => compact<Grant>(grant))
  throw new OrlaError(
    'E_FILE',
    `${file} is damaged${first === undefined ? '' : ` (${first.line}:${first.column}: ${first.message})`}, so nothing is accepted`,
    { hint: 'remove it, and accept the packages again with `orla grant NAME`' },
  )
}

/** The same grants are always the same text. */
export function formatGrants(grants: readonly Grant[]): string {
  const ordered = [...grants].sort(inOrder).map(({ name, version, digest, pin, ...rest }) => ({
    name,
    version,
    digest,
    ...(pin === undefined ? {} : { pin: orderPin(pin) }),
    permissions: rest.permissions,
    unenforced: rest.unenforced,
    accepted_at: rest.accepted_at,
    how: rest.how,
  }))
  return `${JSON.stringify({ v: 1, grants: ordered }, null, 2)}\n`
}

function inOrder(a: GrantKey, b: GrantKey): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return compareVersions(a.version, b.version) || (a.digest < b.digest ? -1 : 1)
}
