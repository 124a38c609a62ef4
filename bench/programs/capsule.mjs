// A warm program behind a pipe: says hello, and answers each line with a short text.
import { onLines } from '../lib/lines.mjs'

const [name = 'warm'] = process.argv.slice(2)
const send = (text) => process.stdout.write(`${text}\n`)
send(`{"jsonrpc":"2.0","method":"orla.hello","params":{"name":"${name}","version":"1.0.0"}}`)
onLines(process.stdin, (line) => {
  const { id, method } = JSON.parse(line)
  if (method === 'tools/call')
    send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"ok"}]}}`)
})
process.stdin.on('end', () => process.exit(0))
