#!/usr/bin/env node
// A capsule for chaos: answers with its text, after a while, from a process that has a child of its own.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [name, tag] = process.argv.slice(2)
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
spawn('sleep', [`600.${tag}`], { stdio: 'ignore' })
send({ method: 'orla.hello', params: { name, version: '1.0.0' } })
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (method === 'ping') send({ id, result: {} })
    if (method !== 'tools/call') return
    const { text, ms = 0 } = params.arguments
    setTimeout(() => send({ id, result: `${process.pid} ${text}` }), ms)
  })
  .on('close', () => process.exit(0))
