import type { Pin } from '../model/index.ts'
import { checkLocation } from './location.ts'
import { type Issue, object, oneOf, type Path, required, type Shape, text } from './shape.ts'

const HEX = { pattern: /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, expected: 'a commit' }
const SHA256 = { pattern: /^[0-9a-f]{64}$/, expected: '64 hexadecimal digits' }
const location = (about: string) => required(text(about, { check: checkLocation }))
const registry = text('The registry that named it', { check: checkLocation })

const KINDS = {
  git: object('A commit', {
    kind: required(oneOf('Kind', ['git'])),
    url: location('Repository'),
    tag: required(text('Tag', { pattern: /^[A-Za-z0-9][\w.+/-]*$/, expected: 'a tag' })),
    commit: required(text('Commit', HEX)),
    registry,
  }),
  directory: object('A folder', {
    kind: required(oneOf('Kind', ['directory'])),
    path: required(text('Folder', { pattern: /^[^\0]+$/, expected: 'a path' })),
  }),
  archive: object('An archive', {
    kind: required(oneOf('Kind', ['archive'])),
    from: location('File or URL'),
    sha256: required(text('Checksum', SHA256)),
    registry,
  }),
} satisfies { [K in Pin['kind']]: Shape<Extract<Pin, { kind: K }>> }

/** Where a package came from, as locks and receipts write it. */
export const PIN: Shape<Pin> = {
  about: 'Where it came from',
  schema: () => ({ anyOf: Object.values(KINDS).map((kind) => kind.schema()) }),
  fromText: (written) => written,
  read(value, path: Path, issues: Issue[]) {
    const kind = (value as { kind?: unknown } | null)?.kind
    if (kind === 'git' || kind === 'directory' || kind === 'archive')
      return KINDS[kind].read(value, path, issues)
    issues.push({ path, message: 'must be a pin of the kind git, directory or archive' })
    return undefined
  },
}

/** The same pin with its keys in their order. */
export function orderPin(pin: Pin): Pin {
  const registry = 'registry' in pin && pin.registry !== undefined ? { registry: pin.registry } : {}
  if (pin.kind === 'git') return { kind: 'git', url: pin.url, tag: pin.tag, commit: pin.commit, ...registry }
  if (pin.kind === 'archive') return { kind: 'archive', from: pin.from, sha256: pin.sha256, ...registry }
  return { kind: 'directory', path: pin.path }
}
