import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { start, stop, within } from './children.mjs'
import { onLines } from './lines.mjs'
import { connect } from './rpc.mjs'

const ECHO_STDIO = fileURLToPath(new URL('../programs/echo-stdio.mjs', import.meta.url))
const ECHO_HTTP = fileURLToPath(new URL('../programs/echo-http.mjs', import.meta.url))
const LOAD = fileURLToPath(new URL('../programs/load.mjs', import.meta.url))
const ANSWER_MS = 60_000

export const nodeDoingNothing = ['-e', '0']

/** The plain way of Node to run a program to its end: three pipes, arguments on stdin, all output read. */
export function rawSpawn(file) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [], { stdio: 'pipe' })
    child.stdin.on('error', () => {})
    child.stdin.end('{}')
    child.stdout.resume()
    child.stderr.resume()
    child.once('error', reject)
    child.once('close', resolve)
  })
}

/** A C program that answers each line of numbers with the milliseconds that the work took. */
export function openWorker(command, args = []) {
  const child = start(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = []
  onLines(child.stdout, (line) => waiting.shift()?.(Number(line)))
  return {
    measure(...numbers) {
      const answer = new Promise((resolve) => waiting.push(resolve))
      child.stdin.write(`${numbers.join(' ')}\n`)
      return within(ANSWER_MS, command, answer)
    },
    stop: () => stop(child),
  }
}

/** The least a Node program does to answer a call over stdio: split lines, parse, answer. */
export function openEcho() {
  const child = start(process.execPath, [ECHO_STDIO], { stdio: ['pipe', 'pipe', 'inherit'] })
  return { pid: child.pid, stop: () => stop(child), ...connect(child) }
}

/** The least a Node program does to answer a call over HTTP; with a file it runs that for each. */
export async function openHttpEcho(file) {
  const args = file === undefined ? [] : [file]
  const child = start(process.execPath, [ECHO_HTTP, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [port] = await within(ANSWER_MS, 'echo-http', once(child.stdout.setEncoding('utf8'), 'data'))
  return { pid: child.pid, url: `http://127.0.0.1:${port.trim()}/mcp`, runs: file, stop: () => stop(child) }
}

/** A client in a process of its own, so that every server is asked by the same one. */
export function openLoad() {
  const child = start(process.execPath, [LOAD], { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = []
  onLines(child.stdout, (line) => waiting.shift()?.(JSON.parse(line)))
  return {
    /** Asks for so many milliseconds; resolves to `{ rate, p50, p99, errors, failure }`. */
    run(job) {
      const answer = new Promise((resolve) => waiting.push(resolve))
      child.stdin.write(`${JSON.stringify(job)}\n`)
      return within(ANSWER_MS, 'load', answer)
    },
    stop: () => stop(child),
  }
}
