import { type HttpEndpoint, isJsonObject, type JsonSchema, type McpkgEndpoint } from '../../model/index.ts'
import { normalInnerPath } from '../inner-path.ts'
import type { Path } from '../shape.ts'
import type { McpkgFile } from './manifest-shape.ts'
import type { Looking } from './refine.ts'
import { isConventional } from './tool-id.ts'
import { isPlainText, parseUrlTemplate } from './url-template.ts'

/** What shows only when several keys of a manifest are seen together. */
export function checkTogether(value: McpkgFile, looking: Looking): void {
  checkId(value, looking)
  checkWays(value, looking)
  checkInput(value, looking)
  checkAuth(value, looking)
  for (const key of ['tests', 'examples'] as const) {
    const paths = (value[key] ?? []).map((path) => path && normalInnerPath(path))
    tellTwice(paths, (index) => {
      looking.tell([key, index], { message: `\`${paths[index]}\` stands here twice`, severity: 'warning' })
    })
  }
}

function checkId({ toolId }: McpkgFile, { tell }: Looking): void {
  if (toolId === undefined || isConventional(toolId)) return
  tell(['toolId'], {
    message: `\`${toolId}\` has two parts; publisher, domain and name make an id unique`,
    hint: 'for example acme.crm.search_customers',
    severity: 'warning',
  })
}

/** At least one of endpoint, implementations and chain. */
function checkWays({ toolId, implementations, chain }: McpkgFile, { has, tell }: Looking): void {
  const isEmpty = implementations?.length === 0
  if (!has('endpoint') && !has('chain') && (!has('implementations') || isEmpty)) {
    tell([], {
      message: 'needs one of `endpoint`, `implementations` and `chain`: nothing says how it is carried out',
    })
  }
  for (const key of ['endpoint', 'implementations']) {
    if (has('chain') && has(key))
      tell([key], { message: 'has no effect beside `chain`', severity: 'warning' })
  }
  const ids = (implementations ?? []).map((one) => one?.id)
  tellTwice(ids, (index) =>
    tell(['implementations', index, 'id'], { message: `\`${ids[index]}\` stands here twice` }),
  )
  for (const [index, step] of (chain ?? []).entries()) {
    if (toolId !== undefined && step?.tool === toolId)
      tell(['chain', index, 'tool'], { message: 'is the tool of this very chain, which would never end' })
  }
}

function checkInput(value: McpkgFile, { tell }: Looking): void {
  const schema = value.input_schema
  if (schema === undefined) return
  if (schema.type !== undefined && schema.type !== 'object') {
    tell(['input_schema', 'type'], { message: 'must be "object": a tool takes its arguments by name' })
  }
  for (const { endpoint, path } of httpEndpoints(value)) {
    const template = parseUrlTemplate(endpoint.url)
    if ('problem' in template) continue
    for (const name of new Set(template.names)) {
      const message = missingArgument(name, schema)
      if (message !== undefined) tell([...path, 'url'], { message, severity: 'warning' })
    }
  }
}

function missingArgument(name: string, { properties, required }: JsonSchema): string | undefined {
  if (!isJsonObject(properties)) return undefined
  if (!Object.hasOwn(properties, name)) return `takes {${name}}, which is no property of \`input_schema\``
  const isRequired = Array.isArray(required) && required.includes(name)
  return isRequired ? undefined : `takes {${name}}, which \`input_schema\` does not require`
}

function checkAuth(value: McpkgFile, { has, tell }: Looking): void {
  const { auth } = value
  if (auth === undefined || auth.type === 'none') return
  const endpoints = httpEndpoints(value)
  // A flawed endpoint may have been meant to be one.
  const isKnown = (value.implementations ?? []).every((one) => one?.endpoint !== undefined)
  if (endpoints.length === 0 && isKnown && (value.endpoint !== undefined || !has('endpoint')))
    tell(['auth'], { message: 'has an effect on http endpoints only', severity: 'warning' })
  for (const { endpoint, path } of endpoints) {
    if (!isPlainText(endpoint.url)) continue
    tell([...path, 'url'], {
      message: 'begins with http://, so that the secret can be read on the way',
      hint: 'use https://',
      severity: 'warning',
    })
  }
}

function httpEndpoints(value: McpkgFile): { readonly endpoint: HttpEndpoint; readonly path: Path }[] {
  return endpointsOf(value).flatMap(({ endpoint, path }) =>
    endpoint.type === 'http' ? [{ endpoint, path }] : [],
  )
}

/** Every endpoint a manifest has, with its place. */
export function endpointsOf(
  value: Pick<McpkgFile, 'endpoint' | 'implementations'>,
): { readonly endpoint: McpkgEndpoint; readonly path: Path }[] {
  const inner = (value.implementations ?? []).flatMap((one, index) =>
    one?.endpoint === undefined
      ? []
      : [{ endpoint: one.endpoint, path: ['implementations', index, 'endpoint'] }],
  )
  return value.endpoint === undefined ? inner : [{ endpoint: value.endpoint, path: ['endpoint'] }, ...inner]
}

function tellTwice(words: readonly (string | undefined)[], tell: (index: number) => void): void {
  const seen = new Set<string>()
  for (const [index, word] of words.entries()) {
    if (word === undefined) continue
    if (seen.has(word)) tell(index)
    seen.add(word)
  }
}
