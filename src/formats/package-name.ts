import { oneLine } from '../model/index.ts'

export const PACKAGE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/

/**
 * The one grammar of package and registry names, in manifests, registries, locks and commands alike. A name
 * becomes a folder and a word of a command line, so nothing in it may mean anything there.
 */
export function isPackageName(name: string): boolean {
  return PACKAGE_NAME.test(name)
}

/** Why a text cannot be the name of a package; undefined when it can. */
export function checkPackageName(name: string): string | undefined {
  if (isPackageName(name)) return undefined
  if (name === '') return 'it is empty'
  if (name.length > 64) return 'it is longer than 64 characters'
  const better = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const rule = 'a name has lower-case letters, digits and hyphens, and begins and ends with a letter or digit'
  const isNear = isPackageName(better) && /^[A-Za-z0-9 _.-]+$/.test(name)
  return isNear ? `${rule}; ${oneLine(name)} could be ${better}` : rule
}
