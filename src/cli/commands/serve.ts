import { type Serving, serve } from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Context, Handler } from '../command.ts'
import { count } from '../count.ts'
import { configRequest } from '../settings.ts'

export const serveCommand: Handler = async (input, context) => {
  const request = { ...configRequest(input), insecure: input.flag('insecure') }
  await serve(context.world, request, (serving) => {
    // Scripts get records only; a person gets plain words. On stdio, stdout belongs to the protocol.
    const forPeople = context.printer.interactive || serving.loaded.config.logFormat === 'pretty'
    if (serving.url !== null && forPeople) context.printer.data(welcome(serving, context))
  })
  return 0
}

const SHOWN = 12

function welcome({ url, loaded, catalog, toolsMissing }: Serving, { printer, program }: Context): string {
  const tools = [...catalog.tools.values()]
  const width = Math.max(0, ...tools.slice(0, SHOWN).map((tool) => tool.name.length))
  const lines = ['']
  if (tools.length === 0) {
    lines.push(`Orla is running, but there are no tools yet in ${loaded.config.toolsDir}.`)
    lines.push(
      toolsMissing
        ? `\`${program} init\` makes the folder with a sample; it is picked up at once.`
        : 'Put an executable there; it is picked up at once.',
    )
  } else {
    lines.push(`Orla serves ${count(tools.length, 'tool')} from ${loaded.config.toolsDir}:`, '')
    for (const tool of tools.slice(0, SHOWN)) {
      lines.push(`  ${printer.paint('bold', tool.name.padEnd(width))}  ${firstSentence(tool.description)}`)
    }
    if (tools.length > SHOWN) lines.push(`  … and ${tools.length - SHOWN} more: ${program} list`)
  }
  if (catalog.problems.length > 0) {
    lines.push(
      '',
      `${count(catalog.problems.length, 'file')} could not be served: ${program} list tells why.`,
    )
  }
  lines.push(
    '',
    'Connect a client to',
    `  ${printer.paint('bold', String(url))}`,
    'for example',
    `  claude mcp add --transport http orla ${url}`,
    `or, for clients with a JSON file (VS Code calls the key "servers"): {"mcpServers":{"orla":{"type":"http","url":"${url}"}}}`,
    '',
    'Ctrl-C stops it.',
    '',
  )
  return lines.join('\n')
}

function firstSentence(description: string): string {
  const line = oneLine(description)
  const end = line.search(/[.!?](\s|$)/)
  return end === -1 || end > 90 ? line.slice(0, 90) : line.slice(0, end + 1)
}
