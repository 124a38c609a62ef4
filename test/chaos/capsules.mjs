// Kills, stops and hangs the processes of capsules at random moments under load. Every call must be answered or fail
// clearly, every capsule must answer again afterwards, and nothing may be left behind. Needs /proc.
//   node test/chaos/capsules.mjs [--blows 200] [--seed N] [--program FILE]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mentioning, until } from './processes.mjs'
import { createRandom } from './random.mjs'

const { values } = parseArgs({
  options: {
    blows: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    program: { type: 'string', default: fileURLToPath(new URL('../../dist/orla.cjs', import.meta.url)) },
  },
})
if (!existsSync(values.program)) throw new Error(`${values.program} is not there: build first`)
const NAMES = ['one', 'two', 'three']
const CALLERS = 8
const random = createRandom(Number(values.seed))
const tag = `${Date.now()}${process.pid}`
const folder = mkdtempSync(join(tmpdir(), 'chaos-'))
const outcomes = { answered: 0, crashed: 0, wrong: [] }

console.log(`seed ${values.seed}`)
try {
  await run(createProject())
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const wrong of outcomes.wrong.slice(0, 20)) console.log(wrong)
console.log(`${outcomes.answered} calls answered, ${outcomes.crashed} failed clearly`)
console.log(`${values.blows} blows, ${outcomes.wrong.length} failed`)
process.exitCode = outcomes.wrong.length > 0 || outcomes.answered === 0 ? 1 : 0

async function run(project) {
  const server = openServer(project)
  let striking = true
  const callers = Array.from({ length: CALLERS }, async () => {
    while (striking) await callOnce(server)
  })
  for (let blow = 0; blow < Number(values.blows); blow++) {
    await pause(random() * 250)
    strike()
  }
  striking = false
  await Promise.all(callers)
  await expectAllAnswer(server)
  server.child.stdin.end()
  await once(server.child, 'exit')
  if (!(await until(() => mentioning(tag).length === 0, 10_000)))
    outcomes.wrong.push(`left behind: ${mentioning(tag).map(({ line }) => line)}`)
}

/** One of the ways in which a process comes to harm. A stopped one is found by its health check. */
function strike() {
  const victims = mentioning(tag).filter(({ line }) => line.includes('worker.mjs') || line.includes('sleep'))
  const victim = victims[Math.floor(random() * victims.length)]
  const signal = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGSTOP'][Math.floor(random() * 5)]
  try {
    if (victim) process.kill(victim.pid, signal)
  } catch {
    // It ended meanwhile.
  }
}

async function callOnce(server) {
  const name = NAMES[Math.floor(random() * NAMES.length)]
  const text = `t${Math.floor(random() * 1e9)}`
  const ms = random() < 0.3 ? Math.floor(random() * 100) : 0
  const answer = await server.ask('tools/call', { name, arguments: { text, ms } })
  if (answer === 'no answer') outcomes.wrong.push(`${name}: no answer within 30 s`)
  else if (answer.error) outcomes.wrong.push(`${name}: ${answer.error.message}`)
  else if (answer.result.isError) {
    const [{ text: words }] = answer.result.content
    if (/crashed|exited|ended by SIG|ping|stopped/.test(words)) outcomes.crashed++
    else outcomes.wrong.push(`${name}: failed without a clear word: ${words}`)
  } else if (!answer.result.content[0].text.endsWith(` ${text}`))
    outcomes.wrong.push(`${name}: answered ${answer.result.content[0].text} to ${text}`)
  else outcomes.answered++
}

async function expectAllAnswer(server) {
  for (const name of NAMES) {
    let answer
    for (let round = 0; round < 20; round++) {
      answer = await server.ask('tools/call', { name, arguments: { text: 'well' } })
      if (answer.result && !answer.result.isError) break
      await pause(200)
    }
    if (!answer.result || answer.result.isError)
      outcomes.wrong.push(`${name} does not answer again: ${JSON.stringify(answer)}`)
  }
}

function openServer(project) {
  const child = spawn(process.execPath, [values.program, '--stdio', '--log-level', 'fatal'], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: folder, ORLA_HOME: join(folder, 'home') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = new Map()
  let rest = ''
  let last = 0
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const message = JSON.parse(line)
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })
  const ask = (method, params) => {
    const id = ++last
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve('no answer'), 30_000)
      waiting.set(id, (message) => {
        clearTimeout(timer)
        resolve(message)
      })
    })
  }
  void ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'chaos', version: '1' },
  })
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return { child, ask }
}

function createProject() {
  const project = join(folder, 'project')
  for (const name of NAMES) {
    const place = join(project, 'tools', name)
    mkdirSync(place, { recursive: true })
    copyFileSync(fileURLToPath(new URL('worker.mjs', import.meta.url)), join(place, 'worker.mjs'))
    writeFileSync(
      join(place, 'tool.yaml'),
      `name: ${name}
version: 1.0.0
description: For chaos
entrypoint: worker.mjs
runtime:
  mode: capsule
  startup_timeout_ms: 20000
  args: [${name}, "${tag}"]
  health: {interval_ms: 200, timeout_ms: 500}
  restart: {base_ms: 5, cap_ms: 50, limit: 10000}
`,
    )
  }
  writeFileSync(join(project, 'orla.yaml'), 'watch: false\n')
  return project
}
