#!/usr/bin/env node
// An MCP server as a capsule: `image_content` here is `test_image_content` for clients.
import { setTimeout as pause } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { audio, image, resource, text } from './content.mjs'
import { CHOICES, DEFAULTS, PERSON } from './forms.mjs'

let changes = 0

const TOOLS = {
  image_content: () => [image],
  audio_content: () => [audio],
  embedded_resource: () => [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  multiple_content_types: () => [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  tool_with_progress: ({ progress }) => inSteps([0, 50, 100], (done) => progress(done, 100)),
  tool_with_logging: ({ log }) =>
    inSteps(['Tool execution started', 'Tool processing data', 'Tool execution completed'], log),
  logging_tool: ({ log }) => inSteps(['Tool was called'], log),
  async sampling({ prompt }) {
    const messages = [{ role: 'user', content: text(prompt ?? '') }]
    const { content } = await server.createMessage({ messages, maxTokens: 100 })
    return [text(`LLM response: ${content.text}`)]
  },
  elicitation: ({ message }) => ask(message ?? 'Who are you?', PERSON),
  elicitation_sep1034_defaults: () => ask('Is this right?', DEFAULTS),
  elicitation_sep1330_enums: () => ask('Which ones?', CHOICES),
  streaming_elicitation: () => ask('Who are you?', PERSON),
  async trigger_tool_change() {
    changes++
    await server.sendToolListChanged()
    return [text('Changed.')]
  },
}

const server = new Server(
  { name: 'conformance', version: '1.0.0' },
  { capabilities: { tools: { listChanged: true }, logging: {} } },
)

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(TOOLS).map((name) => ({
    name,
    description: `Answers with ${name.replaceAll('_', ' ')}, after ${changes} changes.`,
    inputSchema: { type: 'object' },
  })),
}))

server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
  const progressToken = params._meta?.progressToken
  const progress = async (done, total) => {
    if (progressToken === undefined) return
    await sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress: done, total },
    })
  }
  const log = (data) => sendNotification({ method: 'notifications/message', params: { level: 'info', data } })
  try {
    return { content: await TOOLS[params.name]({ ...params.arguments, progress, log }) }
  } catch (error) {
    return { isError: true, content: [text(error.message)] }
  }
})

await server.connect(new StdioServerTransport())

async function inSteps(steps, tell) {
  for (const step of steps) {
    await tell(step)
    await pause(50)
  }
  return [text('Done.')]
}

async function ask(message, requestedSchema) {
  const { action, content } = await server.elicitInput({ message, requestedSchema })
  return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)]
}
