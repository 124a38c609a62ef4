/** `bin/orla_capsule.mjs` of a new capsule. Raw: backslashes stand for themselves; it has no template strings. */
export const NODE_HELPER = String.raw`// Turns a function into an Orla capsule: a tool whose process stays. Node 20 or newer, nothing else.
//
//     import { serve } from "./orla_capsule.mjs"
//
//     serve(async ({ name }, call) => ({ greeting: "Hello, " + name }))
//
// Import it first: from then on console.log and process.stdout go to stderr, because stdout carries the
// protocol. (Programs you start write where you tell them: do not give them stdio "inherit".) Calls run
// concurrently. Return text, an object, or a result in the shape of MCP ({ content: [...] }). An exception fails
// this call only; its stack goes to stderr.
//
// This file is yours: it belongs to the package, and Orla does not need it to be as it is.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { exit, stderr, stdin, stdout } from "node:process"
import { fileURLToPath } from "node:url"

const CLOSING_MS = 2000 // for calls that still run when Orla closes the input

const write = stdout.write.bind(stdout)
stdout.write = stderr.write.bind(stderr)
stdout.on("error", () => {}) // Orla is gone; the input ends as well

const running = new Map() // id -> { controller, answered }

/** Says hello and answers calls with handle(arguments, call) until the input ends. */
export function serve(handle, { name, version } = {}) {
  if (name === undefined || version === undefined) {
    const found = manifest()
    name ??= found.name
    version ??= found.version
  }
  send({ method: "orla.hello", params: { name, version, capabilities: ["tools"] } })
  let parts = []
  stdin.on("data", (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      receive(Buffer.concat([...parts, chunk.subarray(start, end)]).toString(), handle)
      parts = []
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  })
  stdin.on("end", finish)
  stdin.on("error", finish)
}

function receive(line, handle) {
  let message
  try {
    message = JSON.parse(line)
  } catch {}
  if (message === null || typeof message !== "object") {
    console.error("not a JSON-RPC message:", line.slice(0, 200))
    return
  }
  const { id, method, params = {} } = message
  if (method === "notifications/cancelled") running.get(params.requestId)?.controller.abort()
  else if (id === undefined || method === undefined) return
  else if (method === "ping") send({ id, result: {} })
  else if (method === "tools/call") {
    const controller = new AbortController()
    running.set(id, { controller, answered: answer(handle, id, params, controller.signal) })
  } else send({ id, error: { code: -32601, message: "unknown method: " + method } })
}

async function answer(handle, id, params, signal) {
  let token = params._meta?.progressToken
  const call = {
    name: params.name,
    /** An AbortSignal: give it to fetch and timers, or call signal.throwIfAborted() between steps. */
    signal,
    /** Tells how far it is. Does nothing when the client did not ask. */
    progress(progress, total, message) {
      if (token === undefined) return
      send({ method: "notifications/progress", params: { progressToken: token, progress, total, message } })
    },
  }
  try {
    await null // so that the call is known as running, whatever handle does
    const result = await handle(params.arguments ?? {}, call)
    send({ id, result: result ?? "" })
  } catch (error) {
    if (!signal.aborted) console.error(error)
    send({ id, error: { code: -32000, message: signal.aborted ? "cancelled" : String(error).slice(0, 1000) } })
  } finally {
    token = undefined // progress after the answer would confuse the client
    running.delete(id)
  }
}

function send(message) {
  write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
}

/** Tells running calls to stop, gives them a moment, and ends the process whatever else keeps it. */
function finish() {
  const calls = [...running.values()]
  for (const { controller } of calls) controller.abort()
  setTimeout(() => exit(), CLOSING_MS)
  Promise.all(calls.map(({ answered }) => answered)).then(() => exit())
}

/** Name and version as tool.yaml says them, in this folder or the nearest above. */
function manifest() {
  const here = dirname(fileURLToPath(import.meta.url))
  let folder = here
  while (folder !== dirname(folder) && !existsSync(join(folder, "tool.yaml"))) folder = dirname(folder)
  const path = join(folder, "tool.yaml")
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  const find = (key) => text.match(new RegExp("^\\uFEFF?" + key + ":\\s*[\"']?([^\"'\\s#]+)", "m"))?.[1]
  const [name, version] = [find("name"), find("version")]
  if (name && version) return { name, version }
  throw new Error("no tool.yaml with name: and version: in or above " + here + ": use serve(handle, { name, version })")
}
`
