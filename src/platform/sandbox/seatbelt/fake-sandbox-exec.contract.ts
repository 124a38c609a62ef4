import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Attempt } from './trial.ts'

/** How a stand-in for `sandbox-exec` behaves where there is none. */
export type Behaviour = { readonly denies: readonly (Attempt | 'everything')[] } | 'fails' | 'hangs' | 'lies'

/**
 * A real program with the command line of `sandbox-exec`. It keeps Node from what it is told to deny, or fails, or never
 * ends, or says that everything was well without having run anything.
 */
export function writeFakeSandboxExec(folder: string, behaviour: Behaviour): string {
  const file = join(folder, 'sandbox-exec')
  const hook = join(folder, 'hook.cjs')
  const denied = typeof behaviour === 'string' ? [] : behaviour.denies
  writeFileSync(hook, `const denied = new Set(${JSON.stringify(denied)})\n${HOOK}`)
  const text = typeof behaviour === 'string' ? ENDS[behaviour] : `NODE_OPTIONS='--require ${hook}' exec "$@"`
  writeFileSync(file, `#!/bin/sh\n${CHECKS}\n${text}\n`)
  chmodSync(file, 0o755)
  return file
}

/** The policy must be one: no program starts without. */
const CHECKS = `
case "$1" in
  -p) policy=$2 ;;
  -f) policy=$(cat "$2") ;;
  *) echo 'sandbox-exec: usage' >&2; exit 64 ;;
esac
case "$policy" in
  '(version 1)'*'(deny default)'*) ;;
  *) echo 'sandbox-exec: no policy' >&2; exit 65 ;;
esac
[ "$3" = -- ] || { echo 'sandbox-exec: usage' >&2; exit 64; }
shift 3`

const ENDS = {
  fails: "echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2; exit 71",
  hangs: 'exec sleep 600',
  lies: "echo '{}'",
} as const

const HOOK = `
const fs = require('node:fs')
const net = require('node:net')
const is = (name) => denied.has(name) || denied.has('everything')
const refuse = () => { throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' }) }
const named = (path) => ({ own: 'own', new: 'granted', other: 'other', beside: 'beside', part: 'part' })[String(path).split('/').at(-1)]
for (const name of ['readFileSync', 'writeFileSync']) {
  const before = fs[name]
  fs[name] = (path, ...rest) => (is(named(path)) ? refuse() : before(path, ...rest))
}
const connect = net.connect
net.connect = (to, done) => {
  if (!is(to.path === undefined ? 'tcp' : 'unix')) return connect(to, done)
  const socket = new net.Socket()
  setImmediate(() => socket.destroy(new Error('EPERM')))
  return socket
}
const kill = process.kill
process.kill = (...words) => (is('signal') ? refuse() : kill(...words))
`
