import { createDiscovery, stepNames } from '../../catalog/index.ts'
import { pathSelector } from '../../formats/index.ts'
import { isJsonObject, type JsonObject, nearest, OrlaError, type Tool } from '../../model/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import { type Wish, writePackage } from '../packages/scaffold.ts'
import { requireToolId } from '../packages/scaffold-mcpkg.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'
import { type ChainPackage, chainFiles } from './chain-files.ts'

/** A chain of tools that are served here. What one needs comes from an earlier one that gives it, else from the caller. */
export async function scaffoldChain(
  world: World,
  config: ConfigRequest,
  toolId: string,
  names: readonly string[],
  { mcpkg, capsule, http, language }: Wish,
): Promise<{ folder: string; written: string[] }> {
  if (!mcpkg) throw new OrlaError('E_USAGE', '--chain is for an .mcpkg', { hint: 'add --mcpkg' })
  if (capsule || http !== undefined || language !== undefined)
    throw new OrlaError('E_USAGE', 'a chain is carried out by other tools', {
      hint: 'leave out --capsule, --http and --lang',
    })
  requireToolId(toolId)
  const { catalog } = await createDiscovery().scan(whereOf(await loadConfig(world, config)))
  const tools = names.map((name) => catalog.tools.get(name) ?? refuse(name, [...catalog.tools.keys()]))
  return writePackage(world, toolId, chainFiles(chainOf(toolId, tools)))
}

function refuse(name: string, known: readonly string[]): never {
  const close = nearest(name, known)
  throw new OrlaError('E_NOT_FOUND', `there is no tool \`${name}\` that a chain could call`, {
    hint: close === undefined ? '`orla list` shows the tools' : `did you mean \`${close}\`?`,
  })
}

function chainOf(toolId: string, tools: readonly Tool[]): ChainPackage {
  const names = stepNames(tools.map(({ name }) => name))
  const inputs = new Map<string, JsonObject>()
  const required = new Set<string>()

  function sourceOf(key: string, at: number, { inputSchema }: Tool): string {
    // The nearest step that gives something of this name.
    const giver = tools
      .slice(0, at)
      .findLastIndex(({ outputSchema }) => Object.hasOwn(propertiesOf(outputSchema), key))
    if (giver >= 0) return `$.${names[giver]}${pathSelector(key)}`
    inputs.set(key, inputs.get(key) ?? propertiesOf(inputSchema)[key] ?? {})
    if (Array.isArray(inputSchema?.required) && inputSchema.required.includes(key)) required.add(key)
    return `$.input${pathSelector(key)}`
  }

  const steps = tools.map((tool, at) => ({
    step: names[at] ?? tool.name,
    tool: tool.name,
    inputMapping: Object.fromEntries(
      Object.keys(propertiesOf(tool.inputSchema)).map((key) => [key, sourceOf(key, at, tool)]),
    ),
  }))
  return {
    toolId,
    version: '0.1.0',
    description: `Calls ${tools.map(({ name }) => name).join(', then ')}.`,
    steps,
    inputSchema: { type: 'object', properties: Object.fromEntries(inputs), required: [...required] },
    outputSchema: tools.at(-1)?.outputSchema ?? {},
    meta: { license: 'MIT' },
    readme: 'What each step is given is in manifest.json.',
  }
}

/** What a schema says about each key. What refers to elsewhere in it means nothing outside. */
function propertiesOf(schema: JsonObject | undefined): Readonly<Record<string, JsonObject>> {
  const properties = schema?.properties
  if (!isJsonObject(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [
      key,
      isJsonObject(value) && !JSON.stringify(value).includes('"$') ? value : {},
    ]),
  )
}
