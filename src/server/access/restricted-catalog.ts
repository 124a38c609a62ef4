import type { Catalog } from '../../model/index.ts'
import type { CatalogView } from '../catalog-view.ts'
import type { Access } from './principal.ts'

const restricted = new WeakMap<Catalog, WeakMap<Access, Catalog>>()
const wholes = new WeakMap<Catalog, Catalog>()

/** The catalog as someone with this access sees it. The same object for the same two. */
export function restrictCatalog(catalog: Catalog, access: Access | undefined): Catalog {
  if (!access) return catalog
  const byAccess = restricted.get(catalog) ?? new WeakMap<Access, Catalog>()
  restricted.set(catalog, byAccess)
  const known = byAccess.get(access)
  if (known) return known
  const part = partOf(catalog, access)
  byAccess.set(access, part)
  wholes.set(part, catalog)
  return part
}

/** A chain that someone may call uses tools which they may not call themselves. */
export function wholeCatalog(catalog: Catalog): Catalog {
  return wholes.get(catalog) ?? catalog
}

/** What a client keeps is the whole catalog; what it sees of it is decided each time. */
export function restrictedView(view: CatalogView, access: () => Access | undefined): CatalogView {
  return {
    forCall: () => restrictCatalog(view.forCall(), access()),
    forList: (nextPage) => restrictCatalog(view.forList(nextPage), access()),
    held: () => view.held(),
  }
}

function partOf(catalog: Catalog, access: Access): Catalog {
  const { documents, prompts } = catalog
  const names = [...catalog.tools.keys()]
  // Also of a package whose tool is not served just now.
  const isSeen = (name: string | undefined) => name !== undefined && access.allows(name)
  return {
    tools: new Map([...catalog.tools].filter(([name]) => access.allows(name))),
    problems: catalog.problems,
    ...(documents && { documents: documents.filter(({ uri }) => isSeen(toolOfUri(uri))) }),
    ...(prompts && { prompts: prompts.filter(({ name }) => isSeen(toolOfPrompt(name, names))) }),
  }
}

/** `orla://tool/NAME/…` */
function toolOfUri(uri: string): string | undefined {
  return /^orla:\/\/tool\/([^/]+)\//.exec(uri)?.[1]
}

/** `NAME.PROMPT`, where both may have dots: the longest tool that it begins with. */
function toolOfPrompt(prompt: string, tools: readonly string[]): string | undefined {
  const fitting = tools.filter((tool) => prompt.startsWith(`${tool}.`))
  return fitting.sort((a, b) => b.length - a.length)[0]
}
