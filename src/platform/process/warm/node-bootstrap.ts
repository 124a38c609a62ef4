/**
 * Loaded with `--require`. Node asks for `Module.runMain` when it is about to run the main program (it promises to,
 * for those who replace it): that is where this waits on descriptor 0 for a hand-over, and answers with Node's own
 * function bound to the script. So the script is started by Node itself, with no frame of ours below it. `R` on the
 * output says that it waits, `A` that the script begins. The empty module makes Node set up its module loader ahead.
 */
export const NODE_BOOTSTRAP = `'use strict'
const { isMainThread } = require('worker_threads')
const Module = require('module')
const fs = require('fs')
if (isMainThread) {
  try {
    require('./empty.mjs')
  } catch {}
}
for (const name of Object.keys(require.cache)) if (name.startsWith(__dirname)) delete require.cache[name]
for (const name of Object.keys(Module._pathCache)) if (name.includes(__dirname)) delete Module._pathCache[name]
if (Array.isArray(process._preload_modules)) process._preload_modules.length = 0
const option = process.execArgv.indexOf(__filename)
if (option > 0) process.execArgv.splice(option - 1, 2)
if (isMainThread) {
  const own = Object.getOwnPropertyDescriptor(Module, 'runMain')
  Object.defineProperty(Module, 'runMain', {
    configurable: true,
    enumerable: true,
    get() {
      const script = wait()
      Object.defineProperty(Module, 'runMain', own)
      return own.value.bind(Module, script)
    },
  })
}
function wait() {
  tell('R')
  const fields = take(parseInt(take(8).toString(), 16)).toString().split('\\0')
  const [given, , folder] = fields
  const at = Number(fields[3])
  const end = 5 + Number(fields[4])
  const words = fields.slice(5, end)
  if (given !== '0') {
    // The lowest number that is free is the one that was just closed.
    fs.closeSync(0)
    fs.openSync('/proc/self/fd/' + given, 'r+')
    fs.closeSync(Number(given))
  }
  try {
    process.chdir(folder)
  } catch {
    process.exit(1)
  }
  const marker = process.env.MCP_RUN
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const entry of fields.slice(end)) {
    const middle = entry.indexOf('=')
    const name = entry.slice(0, middle)
    if (name !== 'MCP_RUN') process.env[name] = entry.slice(middle + 1)
    else if (marker !== undefined) process.env[name] = marker
  }
  const script = require('path').resolve(words[at])
  process.argv.splice(1, Infinity, script, ...words.slice(at + 1))
  tell('A')
  return script
}
function take(size) {
  const taken = Buffer.alloc(size)
  for (let at = 0; at < size; ) {
    const more = fs.readSync(0, taken, at, size - at, null)
    if (more === 0) process.exit(0)
    at += more
  }
  return taken
}
function tell(word) {
  try {
    fs.writeSync(1, word)
  } catch {
    process.exit(0)
  }
}
`
