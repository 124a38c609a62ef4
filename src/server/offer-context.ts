import type {
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ReadResourceResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { Access } from './access/principal.ts'
import { restrictedView } from './access/restricted-catalog.ts'
import { keptView, newestView } from './catalog-view.ts'
import type { ServerDeps } from './contract.ts'
import { listDocuments, readDocument } from './handle-documents.ts'
import { getPrompt, listPrompts } from './handle-prompts.ts'

/** Sees to what every answer needs: the log, and words a client can read when there is none. */
type Answer = <R>(context: ServerContext, find: () => R | Promise<R>) => Promise<R>

/**
 * What packages bring for models to read, as resources and prompts. A connection keeps each list by itself: who asks
 * for prompts again has not seen that the tools changed.
 */
export function offerContext(
  server: Server,
  deps: Pick<ServerDeps, 'catalog' | 'nameStyle'>,
  era: 'modern' | 'legacy',
  access: () => Access | undefined,
  answer: Answer,
): void {
  const createView = era === 'legacy' ? keptView : newestView
  const documents = restrictedView(createView(deps.catalog), access)
  const prompts = restrictedView(createView(deps.catalog), access)

  // Ours are the SDK's, only deeply readonly.
  server.setRequestHandler('resources/list', ({ params: { cursor } = {} }, context) =>
    answer(
      context,
      () => listDocuments(documents.forList(cursor !== undefined), cursor) as ListResourcesResult,
    ),
  )
  server.setRequestHandler('resources/templates/list', (_, context) =>
    answer(context, () => ({ resourceTemplates: [] })),
  )
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
    answer(context, async () => (await readDocument(documents.forCall(), uri)) as ReadResourceResult),
  )
  server.setRequestHandler('prompts/list', ({ params: { cursor } = {} }, context) =>
    answer(
      context,
      () => listPrompts(prompts.forList(cursor !== undefined), deps.nameStyle(), cursor) as ListPromptsResult,
    ),
  )
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }, context) =>
    answer(context, () => getPrompt(prompts.forCall(), deps.nameStyle(), name, given) as GetPromptResult),
  )
}
