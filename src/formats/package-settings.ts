import { isToolName, type Registry } from '../model/index.ts'
import { checkLocation } from './location.ts'
import { checkPackageName } from './package-name.ts'
import { list, map, object, pairsOf, required, type Shape, text } from './shape.ts'
import { checkVersion, wholeVersion } from './version.ts'

/** Asked when nothing else is configured; its first use needs no question. */
export const DEFAULT_REGISTRY = {
  name: 'default',
  url: 'https://github.com/dorcha-inc/orla-registry',
} as const satisfies Registry

const entries = list(
  'Where package names are looked up, in this order; as text name=url,name=url',
  object('A registry', {
    name: required(
      text('Name of the registry', {
        check(name) {
          const reason = checkPackageName(name)
          return reason === undefined
            ? undefined
            : { message: `cannot be ${JSON.stringify(name)}: ${reason}` }
        },
      }),
    ),
    url: required(text('Git repository of the registry', { check: checkLocation })),
  }),
)

/** `registries`: written in the environment as `name=url,name=url`. */
export const REGISTRIES: Shape<readonly Registry[]> = {
  ...entries,
  fromText: (written) => pairsOf(written)?.map(([name, url]) => ({ name, url })) ?? written,
  read(value, path, issues) {
    if (typeof value === 'string') {
      issues.push({ path, message: 'must be written as name=url,name=url' })
      return undefined
    }
    const registries = entries.read(value, path, issues)
    registries?.forEach(({ name }, index) => {
      if (registries.findIndex((other) => other.name === name) < index) {
        issues.push({ path: [...path, index, 'name'], message: `\`${name}\` stands here twice` })
      }
    })
    return registries
  },
}

/** `versions`: with or without the `v` of the tag. */
export const VERSIONS = map(
  'The version of a package that serves, where it is not the newest; as text name=1.0.0,name=2.0.0',
  withoutV(
    text('Version, such as 1.0.0', {
      check: (version) => checkVersion(version.replace(/^v/, '')),
      quoted: wholeVersion,
    }),
  ),
  (name) =>
    isToolName(name) ? undefined : { message: `${JSON.stringify(name)} cannot be the name of a package` },
)

function withoutV(shape: Shape<string>): Shape<string> {
  return { ...shape, read: (value, path, issues) => shape.read(value, path, issues)?.replace(/^v/, '') }
}
