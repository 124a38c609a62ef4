import { type Grant, nearest, OrlaError } from '../../model/index.ts'
import { parseSpec } from '../../packages/index.ts'

/** A package of which a command speaks. */
export interface Wanted {
  readonly name: string
  readonly version?: string
}

/** `NAME[@vVERSION]`. */
export function nameOf(written: string): Wanted {
  const hint = '`orla list` shows what is installed'
  const spec = parseSpec(written, hint)
  if (spec.kind !== 'name' || spec.registry !== undefined) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(written)} is not the name of an installed package`, {
      hint,
    })
  }
  return spec.tag === undefined ? { name: spec.name } : { name: spec.name, version: spec.tag.slice(1) }
}

export function findGrant(
  grants: readonly Grant[],
  { name, version }: { readonly name: string; readonly version: string },
  digest: string,
): Grant | undefined {
  return grants.find((one) => one.name === name && one.version === version && one.digest === digest)
}

export function nothingAbout(name: string, names: readonly string[]): OrlaError {
  const close = nearest(name, [...new Set(names)])
  return new OrlaError('E_NOT_FOUND', `nothing was accepted for ${name}`, {
    hint: close === undefined ? '`orla grants` shows what was accepted' : `did you mean \`${close}\`?`,
  })
}
