/** Hidden files, caches and editor backups are nobody's tools. */
export function isIgnored(name: string): boolean {
  // By their first and last letters: ten thousand names come by at every start.
  const last = name.charCodeAt(name.length - 1)
  switch (name.charCodeAt(0)) {
    case DOT:
      return true
    case HASH:
      return last === HASH || isBackup(name, last)
    case SMALL_N:
      return name === 'node_modules' || isBackup(name, last)
    case UNDERSCORE:
      return name === '__pycache__' || isBackup(name, last)
    default:
      return isBackup(name, last)
  }
}

function isBackup(name: string, last: number): boolean {
  return last === TILDE || (last === SMALL_P && name.endsWith('.swp'))
}

const HASH = 0x23
const DOT = 0x2e
const UNDERSCORE = 0x5f
const SMALL_N = 0x6e
const SMALL_P = 0x70
const TILDE = 0x7e
