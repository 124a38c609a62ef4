import type { Pin } from '../model/index.ts'
import { shownUrl } from '../platform/index.ts'

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
