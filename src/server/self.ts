import { LIST_CACHE } from './pages.ts'

/**
 * Always all three, with lists that may be empty: a client hears of them once, and a later reload may bring the first
 * document or prompt. What is not declared then could not be announced either, and clients do not ask for it.
 * Documents are not subscribed to: a client that reads one gets what the file holds at that moment.
 */
export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true },
  prompts: { listChanged: true },
}

export const CACHE_HINTS = {
  'tools/list': LIST_CACHE,
  'resources/list': LIST_CACHE,
  'resources/templates/list': LIST_CACHE,
  'resources/read': LIST_CACHE,
  'prompts/list': LIST_CACHE,
}

export function serverInfo(version: string) {
  return { name: 'orla', title: 'Orla', version }
}
