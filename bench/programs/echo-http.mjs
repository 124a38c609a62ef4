// The bare JSON-RPC echo on node:http. With a file as its word it runs that, the plain way, for each request.
import { createServer } from 'node:http'
import { rawSpawn } from '../lib/floors.mjs'

const [file] = process.argv.slice(2)
const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', async () => {
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
    if (file !== undefined) await rawSpawn(file)
    const content = [{ type: 'text', text: `${method}\n` }]
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: { content, isError: false } })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().on('end', () => process.exit())
