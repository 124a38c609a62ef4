// A client that starts its server as desktop clients do, to be killed: client.mjs PLAN COMMAND...
// Prints the pid of the server.
import { spawn } from 'node:child_process'
import { callMessages } from './messages.mjs'

const [plan, command, ...words] = process.argv.slice(2)
const server = spawn(command, words, { stdio: ['pipe', 'ignore', 'ignore'] })
process.stdout.write(`${server.pid}\n`)
const { opening, calls } = callMessages(JSON.parse(plan))
for (const message of [...opening, ...calls]) server.stdin.write(`${JSON.stringify(message)}\n`)
