import { OrlaError, type Pin } from '../model/index.ts'
import { shownUrl } from '../platform/index.ts'

/** Whether two versions are from the same hands, so that what was said about one counts for the other. */
export function isSameSource(a: Pin, b: Pin): boolean {
  if (a.kind === 'git' && b.kind === 'git') return a.url === b.url
  if (a.kind === 'directory' && b.kind === 'directory') return a.path === b.path
  if (a.kind !== 'archive' || b.kind !== 'archive') return false
  // Each version is a file of its own; the registry that lists them stands for them.
  return a.from === b.from || (a.registry !== undefined && a.registry === b.registry)
}

export function nothingAt(path: string): OrlaError {
  return new OrlaError('E_NOT_FOUND', `there is nothing at ${path}`, {
    hint: '--local takes a folder, .mcpkg, .tar.gz, .tgz or .zip on this machine',
  })
}

/** Where a package came from, for people; credentials in addresses are left out. */
export function sourceOf(pin: Pin): string {
  switch (pin.kind) {
    case 'git':
      return `${shownUrl(pin.url)} ${pin.tag} (${pin.commit.slice(0, 12)})`
    case 'directory':
      return pin.path
    case 'archive':
      return shownUrl(pin.from)
  }
}
