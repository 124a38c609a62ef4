// A step of `npm test`: `npm start`, as README says it, serves the example project and stops on a signal.
// It builds, so it cannot run beside the tests that use the build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const server = spawn('npm', ['start', '--', '--port', '0'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
})
const deadline = setTimeout(() => fail('it took more than 60 s'), 60_000)

try {
  let printed = ''
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    printed += chunk
    if (printed.includes('Ctrl-C stops it')) break
  }
  const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(printed)?.[0]
  if (!url) fail(`no address in what it printed:\n${printed}`)
  for (const tool of ['hello', 'word_count', 'uuid'])
    if (!printed.includes(tool)) fail(`${tool} is not announced`)

  const method = 'tools/call'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'word_count', arguments: { text: 'two words' }, _meta }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      'Mcp-Name': params.name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result } = await response.json()
  if (result?.structuredContent?.words !== 2) fail(`word_count answered ${JSON.stringify(result)}`)

  const ended = once(server, 'exit')
  process.kill(-server.pid, 'SIGINT')
  await ended
  clearTimeout(deadline)
} catch (error) {
  fail(error.stack)
}

function fail(why) {
  console.error(`npm start: ${why}`)
  try {
    process.kill(-server.pid, 'SIGKILL')
  } catch {
    // it is gone
  }
  process.exit(1)
}
