// The bare MCP echo over stdio: a line in, parsed, a line out.
import { onLines } from '../lib/lines.mjs'

onLines(process.stdin, (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const content = [{ type: 'text', text: `${method}\n` }]
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { content, isError: false } })}\n`)
})
