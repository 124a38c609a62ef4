import type { Registry } from '../model/index.ts'
import { editYaml } from './yaml-edit.ts'

const FILE = 'the configuration'

/** orla.yaml that chooses a version of a package; undefined takes the choice back. Comments stay. */
export async function setVersion(source: string, name: string, version: string | undefined): Promise<string> {
  return editYaml(source, FILE, ({ root, map }) => {
    if (version !== undefined) map('versions').set(name, version)
    else if (root.has('versions')) {
      const versions = map('versions')
      versions.delete(name)
      if (versions.items.length === 0) root.delete('versions')
    }
  })
}

/**
 * orla.yaml with a registry more; one of the same name gets the new URL. A file that names no registries yet
 * would hide those of the layers below, so it names them too: `inherited`.
 */
export async function addRegistry(
  source: string,
  registry: Registry,
  inherited: readonly Registry[],
): Promise<string> {
  return changeRegistries(source, inherited, (registries) => {
    const index = registries.findIndex(({ name }) => name === registry.name)
    return index < 0 ? [...registries, registry] : registries.with(index, registry)
  })
}

/** orla.yaml without a registry. */
export async function dropRegistry(
  source: string,
  name: string,
  inherited: readonly Registry[],
): Promise<string> {
  return changeRegistries(source, inherited, (registries) =>
    registries.filter((registry) => registry.name !== name),
  )
}

async function changeRegistries(
  source: string,
  inherited: readonly Registry[],
  change: (registries: readonly Registry[]) => readonly Registry[],
): Promise<string> {
  const { isMap } = await import('yaml')
  return editYaml(source, FILE, ({ root, list, node }) => {
    const isNew = !root.has('registries')
    const registries = list('registries')
    const known: Registry[] = isNew
      ? [...inherited]
      : registries.items.flatMap((item) =>
          isMap(item) ? [{ name: String(item.get('name')), url: String(item.get('url')) }] : [],
        )
    // What stays as it was keeps its node, and with it its comments.
    registries.items = change(known).map(
      (registry) =>
        registries.items.find(
          (item) => isMap(item) && item.get('name') === registry.name && item.get('url') === registry.url,
        ) ?? node({ name: registry.name, url: registry.url }),
    )
    if (registries.items.length > 0) registries.flow = false
  })
}
