import { join } from 'node:path'
import { readIgnoreFile, type Verdict } from '../../formats/index.ts'
import { RECEIPT } from '../../model/index.ts'
import { besidePackage } from '../../packages/index.ts'
import { folderBytes, isFolder, isLink, readBeginning, readTextIfThere, walk } from '../../platform/index.ts'
import { sizeWords } from '../../runtime/index.ts'
import { holdsPrivateKey, isMadeByOrla, isNeverPacked, isSecretName } from './pack-rules.ts'

const IGNORE_FILE = '.mcpkgignore'

/** What of a folder does not go into its archive. */
export interface PackContent {
  readonly isLeftOut: (path: string) => boolean
  /** Those that look like secrets, which nobody decided about. */
  readonly secrets: readonly string[]
  /** What whoever packs should know. */
  readonly warnings: readonly string[]
}

/** A line of .mcpkgignore decides; without one, what is never wanted stays out, and so does what looks like a secret. */
export function choosePackContent(folder: string, includeSecrets: boolean): PackContent {
  const judge = readIgnoreFile(readTextIfThere(join(folder, IGNORE_FILE)) ?? '')
  const isBeside = besidePackage(folder)
  const leftOut = new Set<string>()
  const secrets: string[] = []
  const kept = walk(folder, '', (path) => {
    const isOut = decide(path)
    if (isOut) leftOut.add(path)
    return isOut
  })
  return {
    isLeftOut: (path) => leftOut.has(path),
    secrets,
    warnings: [...secretWarnings(), ...moduleWarnings(), ...nameWarnings()],
  }

  function decide(path: string): boolean {
    if (isMadeByOrla(path) || /(?:^|\/)\.git$/.test(path)) return true
    const place = join(folder, path)
    const verdict: Verdict = judge(path, isFolder(place))
    if (verdict !== undefined) return verdict === 'leave out'
    if (isNeverPacked(path) || isBeside(path)) return true
    if (!isSecret(place, path)) return false
    secrets.push(path)
    return !includeSecrets
  }

  function secretWarnings(): string[] {
    const [first, ...others] = secrets
    if (first === undefined) return []
    const shown = [first, ...others.slice(0, 9)].join(', ')
    const more = others.length > 9 ? ` and ${others.length - 9} more` : ''
    const [looks, them] = others.length === 0 ? ['looks like a secret', 'it'] : ['look like secrets', 'them']
    return [
      includeSecrets
        ? `${shown}${more} ${looks}: whoever has the package can read ${them}`
        : `${shown}${more} ${looks} and ${others.length === 0 ? 'is' : 'are'} not packed; --include-secrets packs ${them}, a line such as !${first} in ${IGNORE_FILE} does so for good`,
    ]
  }

  function nameWarnings(): string[] {
    // An installed copy has one that Orla wrote.
    if (!leftOut.has('metadata.json') || leftOut.has(RECEIPT)) return []
    return ['metadata.json is not packed: under that name Orla keeps what it measures; give it another one']
  }

  function moduleWarnings(): string[] {
    const inModules = kept.filter((path) => /(?:^|\/)node_modules\//.test(path))
    const roots = new Set(inModules.map((path) => path.slice(0, path.indexOf('node_modules/') + 12)))
    return [...roots].map((root) => {
      const files = inModules.filter((path) => path.startsWith(`${root}/`)).length
      const size = sizeWords(folderBytes(join(folder, root)))
      return `${root} is packed too: ${files === 1 ? '1 file' : `${files} files`}, ${size}; a line in ${IGNORE_FILE} leaves it out`
    })
  }
}

function isSecret(place: string, path: string): boolean {
  if (isFolder(place) || isLink(place)) return false
  if (isSecretName(path)) return true
  return readBeginning(place, (text, goesOn) => (goesOn ? undefined : holdsPrivateKey(text))) === true
}
