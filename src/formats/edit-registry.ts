import type { RegistryEntry } from '../model/index.ts'
import { isArchiveUrl } from './location.ts'
import { editYaml } from './yaml-edit.ts'

/** registry.yaml with an entry more; an entry of the same name is replaced. Comments stay. */
export async function addRegistryEntry(source: string, entry: RegistryEntry): Promise<string> {
  const { isMap } = await import('yaml')
  return editYaml(source, 'registry.yaml', ({ list, node }) => {
    const tools = list('tools')
    const index = tools.items.findIndex((item) => isMap(item) && item.get('name') === entry.name)
    if (index < 0) tools.add(node(toFile(entry)))
    else tools.set(index, node(toFile(entry)))
    tools.flow = false
  })
}

/** The entry as it stands below `tools` in registry.yaml. */
export async function renderRegistryEntry(entry: RegistryEntry): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify([toFile(entry)], { lineWidth: 0 })
}

function toFile(entry: RegistryEntry): Record<string, unknown> {
  const { name, description, repository, maintainer, language, sha256, archive } = entry
  return {
    name,
    description,
    repository,
    ...(maintainer === undefined ? {} : { maintainer }),
    ...(entry.keywords.length > 0 ? { keywords: entry.keywords } : {}),
    ...(entry.capabilities.length > 0 ? { capabilities: entry.capabilities } : {}),
    ...(language === undefined ? {} : { language }),
    ...(entry.platforms.length > 0 ? { platforms: entry.platforms } : {}),
    ...(archive === true && sha256 === undefined && !isArchiveUrl(repository) ? { archive } : {}),
    ...(sha256 === undefined ? {} : { sha256 }),
  }
}
