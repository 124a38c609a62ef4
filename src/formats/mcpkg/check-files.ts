import { isJsonObject, type Json, nearest } from '../../model/index.ts'
import { innerPaths, normalInnerPath } from '../inner-path.ts'
import { readJson } from '../json.ts'
import type { JsonPath } from '../jsonpath.ts'
import type { SchemaKit } from '../judge.ts'
import type { PlacedProblem } from '../placed.ts'
import { anyObject, type Flaw } from '../shape.ts'
import { readTestCase } from '../test-case.ts'
import { endpointsOf } from './check-together.ts'
import { commandFiles } from './command-files.ts'
import type { McpkgReading } from './manifest.ts'
import { PROVENANCE, PUBLISHER } from './manifest-shape.ts'
import { missingInOpenapi } from './openapi.ts'
import type { Patterns } from './patterns.ts'

/** The files of a package. */
export interface McpkgFiles {
  /** Every file, as a path from the root. */
  readonly paths: ReadonlySet<string>
  /** The text of one of them. */
  readonly read: (path: string) => string | undefined
}

export interface McpkgKit {
  readonly jsonPath: JsonPath
  readonly schemas: SchemaKit
  readonly patterns: Patterns
  /** The tools that a chain can call here; absent when nobody knows. */
  readonly tools?: readonly string[]
}

/** Everything that shows only beside the other files of a package, at the places that speak of them. */
export function checkMcpkgFiles(
  reading: McpkgReading,
  files: McpkgFiles,
  kit: McpkgKit,
): readonly PlacedProblem[] {
  return [
    ...checkSchemas(reading, kit.schemas),
    ...checkListed(reading, files, 'tests'),
    ...checkTests(reading, files, kit),
    ...checkListed(reading, files, 'examples'),
    ...checkCommands(reading, files),
    ...checkSteps(reading, kit.tools),
    ...checkOpenapi(reading, files),
    ...checkMeta(files),
  ]
}

const DRAFTS = /^https?:\/\/json-schema\.org\/(?:draft-07\/schema|draft\/2020-12\/schema)#?$/

function checkSchemas({ value, problemAt }: McpkgReading, schemas: SchemaKit): PlacedProblem[] {
  return (['input_schema', 'output_schema'] as const).flatMap((key) => {
    const schema = value[key]
    if (schema === undefined) return []
    const draft: Json | undefined = schema.$schema
    const isOdd = draft !== undefined && !(typeof draft === 'string' && DRAFTS.test(draft))
    const message = 'names a draft that Orla does not know; it knows 2020-12 and 7'
    return [
      ...(isOdd ? [problemAt([key, '$schema'], { message, severity: 'warning' })] : []),
      ...schemas
        .check(schema)
        .map((reason) => problemAt([key], { message: `is not a JSON Schema: ${reason}` })),
    ]
  })
}

function checkListed(
  { value, problems, problemAt }: McpkgReading,
  files: McpkgFiles,
  key: 'tests' | 'examples',
): PlacedProblem[] {
  const listed = (value[key] ?? []).map((path) => path && normalInnerPath(path))
  const known = new Set(listed)
  const missing = listed.flatMap((path, index) =>
    path === undefined || files.paths.has(path) ? [] : [problemAt([key, index], notThere(path, files))],
  )
  if (key === 'examples' || problems.some(({ pointer }) => pointer === '/tests')) return missing
  const unlisted = [...files.paths].filter((path) => /^tests\/.*\.test\.json$/.test(path) && !known.has(path))
  return [
    ...missing,
    ...unlisted.map((path) =>
      problemAt([key], { message: `does not list \`${path}\`, so it is not run`, severity: 'warning' }),
    ),
  ]
}

function checkTests({ value }: McpkgReading, files: McpkgFiles, kit: McpkgKit): PlacedProblem[] {
  const schema = value.input_schema
  const isUsable = schema !== undefined && kit.schemas.check(schema).length === 0
  const checkInput = (input: Json) => (isUsable ? kit.schemas.validate(schema, input) : [])
  return innerPaths(value.tests).flatMap((path) => {
    const text = files.paths.has(path) ? files.read(path) : undefined
    return text === undefined ? [] : readTestCase(text, path, kit.jsonPath, { ...kit, checkInput }).problems
  })
}

function checkCommands({ value, problemAt }: McpkgReading, files: McpkgFiles): PlacedProblem[] {
  return endpointsOf(value).flatMap(({ endpoint, path }) => {
    if (endpoint.type !== 'local') return []
    const { needed, flaws } = commandFiles(endpoint.words)
    const missing = needed.filter((file) => !files.paths.has(file))
    return [...flaws, ...missing.map((file) => notThere(file, files))].map((flaw) =>
      problemAt([...path, 'command'], flaw),
    )
  })
}

/** Where a package is made need not be where it serves, so that a tool missing here is no error. */
function checkSteps({ value, problemAt }: McpkgReading, tools: McpkgKit['tools']): PlacedProblem[] {
  if (tools === undefined) return []
  return (value.chain ?? []).flatMap((step, index) => {
    const tool = step?.tool
    if (tool === undefined || tool === value.toolId || tools.includes(tool)) return []
    const close = nearest(tool, tools)
    const hint = close === undefined ? '`orla list` shows the tools here' : `did you mean ${close}?`
    const message = `names \`${tool}\`, which is not installed here`
    return [problemAt(['chain', index, 'tool'], { message, hint, severity: 'warning' })]
  })
}

function checkOpenapi({ value, problemAt }: McpkgReading, files: McpkgFiles): PlacedProblem[] {
  const text = files.paths.has('openapi.json') ? files.read('openapi.json') : undefined
  if (text === undefined) return []
  const document = readJson(text, 'openapi.json', anyObject('OpenAPI document'))
  if (document.value === undefined) return [...document.problems]
  if (!isJsonObject(document.value.paths)) return [document.problemAt([], { message: 'has no `paths`' })]
  const { value: api } = document
  return endpointsOf(value).flatMap(({ endpoint, path }) => {
    const flaw = endpoint.type === 'http' ? missingInOpenapi(api, endpoint) : undefined
    return flaw === undefined ? [] : [problemAt([...path, 'url'], flaw)]
  })
}

function checkMeta(files: McpkgFiles): PlacedProblem[] {
  const shapes = { 'meta/publisher.json': PUBLISHER, 'meta/provenance.json': PROVENANCE }
  return Object.entries(shapes).flatMap(([path, shape]) => {
    const text = files.paths.has(path) ? files.read(path) : undefined
    return text === undefined ? [] : readJson<unknown>(text, path, shape).problems
  })
}

function notThere(path: string, { paths }: McpkgFiles): Flaw {
  const message = `names \`${path}\`, which is not in the package`
  const close = nearest(path, [...paths])
  return close === undefined ? { message } : { message, hint: `did you mean ${close}?` }
}
