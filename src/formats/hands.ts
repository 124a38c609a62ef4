import type { Pin } from '../model/index.ts'

/** Whose hands a version is from, as one text: what one of them keeps is there for the next. */
export function handsOf(pin: Pin): string {
  switch (pin.kind) {
    case 'git':
      return `git ${pin.url}`
    case 'directory':
      return `directory ${pin.path}`
    case 'archive':
      // Each version is a file of its own; the registry that lists them stands for them.
      return pin.registry === undefined ? `archive ${pin.from}` : `registry ${pin.registry}`
  }
}
