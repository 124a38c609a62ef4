import { execFileSync } from 'node:child_process'
import { writeFiles } from './files.ts'
import { makeProject, type Project } from './project.ts'

/** Capsules written by hand, without helper, in three languages; each does what its `do` argument says. */
export const LANGUAGES = ['sh', 'python', 'node'] as const
export type Language = (typeof LANGUAGES)[number]

interface Options {
  readonly name?: string
  readonly version?: string
  readonly language?: Language
  readonly startupMs?: number
  readonly restart?: string
  /** Lines below `runtime:`. */
  readonly runtime?: readonly string[]
  /** The program instead of the usual one. */
  readonly program?: string
}

/** The files of one capsule package below `tools/`. */
function capsuleFiles(options: Options = {}): Record<string, string> {
  const { name = 'worker', version = '1.0.0', language = 'node', runtime = [], program } = options
  const { startupMs = 10_000, restart = '{base_ms: 20, cap_ms: 100}' } = options
  const yaml = [
    `name: ${name}`,
    `version: ${version}`,
    'description: Works for the stories',
    'entrypoint: main',
    'runtime:',
    '  mode: capsule',
    `  startup_timeout_ms: ${startupMs}`,
    `  restart: ${restart}`,
    ...runtime.map((line) => `  ${line}`),
  ]
  const main = (program ?? PROGRAMS[language]).replaceAll('NAME', name).replaceAll('VERSION', version)
  return { [`tools/${name}/tool.yaml`]: `${yaml.join('\n')}\n`, [`tools/${name}/main`]: main }
}

export function makeCapsule(options: Options = {}, more: Readonly<Record<string, string>> = {}): Project {
  return makeProject({ ...capsuleFiles(options), ...more })
}

export function writeCapsule(project: Project, options: Options): void {
  writeFiles(project.dir, capsuleFiles(options))
}

/** The processes that run the capsule of a project; independent of how Orla finds them. */
export function capsuleProcesses(project: Project, name = 'worker'): number[] {
  try {
    const found = execFileSync('pgrep', ['-f', `${project.dir}/tools/${name}/main`], { encoding: 'utf8' })
    return found.trim().split('\n').map(Number)
  } catch {
    return [] // pgrep found nothing
  }
}

const HELLO = '{"jsonrpc":"2.0","method":"orla.hello","params":{"name":"NAME","version":"VERSION"}}'

const NODE = `#!/usr/bin/env node
const { spawn } = require('node:child_process')
const { createInterface } = require('node:readline')
const { existsSync, writeFileSync } = require('node:fs')
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const waiting = []
let running = 0, most = 0
const acts = {
  pid: () => String(process.pid),
  echo: ({ text }) => text,
  json: ({ text }) => ({ text }),
  mcp: ({ text }) => ({ content: [{ type: 'text', text }, { type: 'image', data: 'AAAA', mimeType: 'image/png' }], structuredContent: { text }, _meta: { from: 'worker' } }),
  fail: () => ({ content: [{ type: 'text', text: 'it did not work' }], isError: true }),
  exit: ({ code }) => process.exit(code),
  die: () => process.kill(process.pid, 'SIGKILL'),
  throw: () => { throw new Error('no such luck') },
  big: ({ size }) => 'x'.repeat(size),
  loop: () => { for (;;); },
  never: () => new Promise(() => {}),
  slow: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve('slept ' + ms), ms)),
  until: ({ file }) => new Promise((resolve) => {
    writeFileSync(file + '.begun', '')
    const look = setInterval(() => { if (existsSync(file)) resolve(clearInterval(look) ?? 'released') }, 10)
  }),
  daemon: ({ tag }) => { spawn('sleep', ['600.' + tag], { detached: true, stdio: 'ignore' }).unref(); return 'started' },
  noise: () => { process.stdout.write('this is no message\\n'); return 'noise made' },
  hello: () => { process.stdout.write('${HELLO}\\n'); return 'said again' },
  most: () => most,
  pair: ({ last, text }) => new Promise((resolve) => {
    waiting.push(() => resolve(text))
    if (last) for (const answer of waiting.splice(0).reverse()) answer()
  }),
}
process.stderr.write('worker is up\\n')
process.stdout.write('${HELLO}\\n')
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'ping') return send({ id, result: {} })
  if (method === 'notifications/cancelled') return writeFileSync('cancelled', String(params.requestId))
  if (method !== 'tools/call') return
  const { do: act = 'pid', ...rest } = params.arguments
  const token = params._meta?.progressToken
  if (token !== undefined) for (const progress of [1, 2]) send({ method: 'notifications/progress', params: { progressToken: token, progress, total: 2 } })
  running++
  most = Math.max(most, running)
  try { send({ id, result: await acts[act](rest) }) } catch (error) { send({ id, error: { code: -32000, message: error.message } }) }
  running--
}).on('close', () => process.exit(0))
`

const PYTHON = `#!/usr/bin/env python3
import json, os, signal, subprocess, sys, threading, time
print('worker is up', file=sys.stderr)
print('${HELLO}', flush=True)
def act(a):
    do = a.get('do', 'pid')
    if do == 'pid': return str(os.getpid())
    if do == 'echo': return a['text']
    if do == 'json': return {'text': a['text']}
    if do == 'exit': os._exit(a['code'])
    if do == 'die': os.kill(os.getpid(), signal.SIGKILL)
    if do == 'never': time.sleep(600)
    if do == 'big': return 'x' * a['size']
    if do == 'daemon':
        subprocess.Popen(['sleep', '600.' + a['tag']], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return 'started'
for line in sys.stdin:
    m = json.loads(line)
    if m.get('method') == 'tools/call':
        print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': act(m['params']['arguments'])}), flush=True)
`

/** As little as a shell can do: it answers with its own process, or dies as it is told. */
const SH = `#!/bin/sh
echo 'worker is up' >&2
echo '${HELLO}'
while read -r line; do
  id=$(printf %s "$line" | sed 's/.*"id":\\([^,}]*\\).*/\\1/')
  text=$(printf %s "$line" | sed -n 's/.*"text":"\\([^"]*\\)".*/\\1/p')
  case $line in
    *'"do":"exit"'*) exit "$(printf %s "$line" | sed 's/.*"code":\\([0-9]*\\).*/\\1/')" ;;
    *'"do":"die"'*) kill -KILL $$ ;;
    *'"do":"echo"'*) printf '{"jsonrpc":"2.0","id":%s,"result":"%s"}\\n' "$id" "$text" ;;
    *'"do":"never"'*) sleep 600 ;;
    *tools/call*) printf '{"jsonrpc":"2.0","id":%s,"result":"%s"}\\n' "$id" $$ ;;
  esac
done
`

const PROGRAMS: Readonly<Record<Language, string>> = { sh: SH, python: PYTHON, node: NODE }
