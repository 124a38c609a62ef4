// One trial: start a server, call tools that fork and hide, kill something, and see whether anything survives.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { callHeaders, callMessages } from './messages.mjs'
import { guardiansOf, isAlive, mentioning, until } from './processes.mjs'

const CLIENT = fileURLToPath(new URL('client.mjs', import.meta.url))
const TOOLS = ['chain', 'close-stdout', 'daemon', 'detach', 'hold-pipes', 'polite', 'slow', 'stubborn']

/** Everything random about a trial, drawn beforehand: the same seed gives the same trial. */
export function planTrial(random, tag) {
  const pick = (...choices) => choices[Math.floor(random() * choices.length)]
  const victim = pick('server', 'server', 'server stops', 'tool', 'client')
  const transport = pick('stdio', 'http')
  const era = pick('modern', 'legacy')
  const tools = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(...TOOLS))
  // Where only the timeout ends a tool, it must come within the deadline.
  const timeout = victim === 'tool' || victim === 'client' ? 1 : pick(1, 30)
  return { tag, victim, transport, era, tools, timeout, moment: Math.floor(random() * 900) }
}

/** Resolves to what went wrong (nothing if all is well) and how many tool processes ran when it struck. */
export async function runTrial(plan, { program, project, home, deadlineMs }) {
  const words = [program, '--timeout', String(plan.timeout)]
  words.push(...(plan.transport === 'stdio' ? ['--stdio'] : ['--port', '0']))
  const options = { cwd: project, env: { ...process.env, ORLA_HOME: home } }
  const scene = await (plan.transport === 'http'
    ? openHttp
    : plan.victim === 'client'
      ? openClient
      : openStdio)(plan, words, options)
  await pause(plan.moment)
  const guardians = guardiansOf(scene.serverPid)
  const running = survivors(plan, scene).length
  const wrong = []
  const expectWithin = async (what, condition) => {
    if (!(await until(condition, deadlineMs))) wrong.push(what)
  }

  if (plan.victim === 'server') process.kill(scene.serverPid, 'SIGKILL')
  if (plan.victim === 'server stops') process.kill(scene.serverPid, 'SIGTERM')
  if (plan.victim === 'client') scene.dropClient()
  if (plan.victim === 'tool') {
    for (const { pid } of mentioning(plan.tag).slice(0, 1)) killIfThere(pid)
    await expectWithin('a call was not answered', () => scene.answered() === plan.tools.length)
  }
  await expectWithin('processes of tools live on', () => survivors(plan, scene).length === 0)
  for (const { pid, line } of survivors(plan, scene)) {
    wrong.push(`  ${pid} ${line}`)
    killIfThere(pid)
  }
  scene.stop()
  await expectWithin('the server lives on', () => !isAlive(scene.serverPid))
  await expectWithin('its guardian lives on', () => guardians.every((pid) => !isAlive(pid)))
  await expectWithin('processes appeared after the end', () => survivors(plan, scene).length === 0)
  if (isAlive(scene.serverPid)) killIfThere(scene.serverPid)
  // Before it listens for signals, one simply ends it.
  if (plan.victim === 'server stops' && ![0, 'SIGTERM'].includes(await scene.status)) {
    wrong.push(`the server stopped with ${await scene.status}`)
  }
  return { wrong, running }
}

/** The client carries the plan, tag included, in its own command line. */
function survivors(plan, scene) {
  return mentioning(plan.tag).filter(({ pid }) => pid !== scene.clientPid)
}

async function openStdio(plan, words, options) {
  const server = spawn(process.execPath, words, { ...options, stdio: ['pipe', 'pipe', 'ignore'] })
  const status = statusOf(server)
  let answers = 0
  createInterface({ input: server.stdout }).on('line', (line) => {
    if (typeof JSON.parse(line).id === 'number') answers++
  })
  server.stdin.on('error', () => {})
  const { opening, calls } = callMessages(plan)
  for (const message of [...opening, ...calls]) server.stdin.write(`${JSON.stringify(message)}\n`)
  return { serverPid: server.pid, status, answered: () => answers, stop: () => server.stdin.end() }
}

async function openClient(plan, words, options) {
  const client = spawn(process.execPath, [CLIENT, JSON.stringify(plan), process.execPath, ...words], {
    ...options,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(createInterface({ input: client.stdout }), 'line')
  return {
    serverPid: Number(line),
    clientPid: client.pid,
    dropClient: () => client.kill('SIGKILL'),
    stop() {},
  }
}

async function openHttp(plan, words, options) {
  const server = spawn(process.execPath, words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  const status = statusOf(server)
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: server.stderr }).on('line', (line) => {
      const record = JSON.parse(line)
      if (record.msg === 'serving') resolve(record.url)
    })
    void status.then((code) => reject(new Error(`the server ended with ${code} before it served`)))
  })
  const { opening, calls } = callMessages(plan)
  let session
  for (const message of opening) {
    const { response, done } = await post(url, callHeaders(plan, message, session), message)
    session ??= response.headers['mcp-session-id']
    await done
  }
  let answers = 0
  const open = calls.map((message) => {
    const sent = send(url, callHeaders(plan, message, session), message)
    sent.on('response', (response) => response.resume().on('end', () => answers++))
    return sent
  })
  return {
    serverPid: server.pid,
    status,
    answered: () => answers,
    dropClient: () => open.forEach((sent) => void sent.destroy()),
    stop: () => server.kill('SIGTERM'),
  }
}

function send(url, headers, message) {
  const sent = request(url, { method: 'POST', headers, agent: false })
  sent.on('error', () => {})
  sent.end(JSON.stringify(message))
  return sent
}

async function post(url, headers, message) {
  const [response] = await once(send(url, headers, message), 'response')
  return { response, done: once(response.resume(), 'end') }
}

async function statusOf(child) {
  const [code, signal] = await once(child, 'exit')
  return code ?? signal
}

function killIfThere(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}
