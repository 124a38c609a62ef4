import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'

/**
 * A process that outlives this one by a moment, to end its tools if it is killed without a chance to do so.
 * It waits on a pipe whose other end only this process holds. A forked child holds a copy until it execs, so
 * the end of the pipe is seen only once every tool carries its marker. What carries none (it cleared its
 * environment, or runs as another user) is not found here.
 */
export interface Guardian {
  /** Starts it unless it is there. `path` is where it finds its programs, `folder` what it is to remove. */
  watch(path: string | undefined, folder: string | undefined): void
  /** The groups that run. Where there is no /proc to search it ends these; one not yet told is not covered. */
  add(group: number): void
  remove(group: number): void
  close(): Promise<void>
}

/** `procfs`: whether it finds the tools by their marker, or only by the groups it was told. */
export function createGuardian(token: string, procfs: boolean): Guardian {
  const groups = new Set<number>()
  let child: ChildProcess | undefined
  let closed = false

  function watch(path: string | undefined, folder: string | undefined): void {
    if (closed || child !== undefined) return
    const started = startShell(path)
    if (started === undefined) return
    const at = performance.now()
    child = started
    started.on('exit', () => {
      child = undefined
      // Someone killed it while tools run. One that ends as soon as it starts is left to the next call.
      if (groups.size > 0 && performance.now() - at > 1_000) watch(path, folder)
    })
    // `pipe` makes it a Socket; the types only promise a Writable.
    const pipe = started.stdin as Socket
    pipe.on('error', () => {})
    started.unref()
    pipe.unref()
    pipe.write(`${procfs ? 'marked' : 'groups'} ${token} ${folder ?? ''}\n`)
    for (const group of groups) pipe.write(`+${group}\n`)
  }

  function tell(line: string): void {
    if (!procfs) child?.stdin?.write(line)
  }

  return {
    watch,
    add(group) {
      groups.add(group)
      tell(`+${group}\n`)
    },
    remove(group) {
      groups.delete(group)
      tell(`-${group}\n`)
    },
    async close() {
      closed = true
      if (child === undefined) return
      const ended = once(child, 'exit')
      child.ref()
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Its own session, so that Ctrl-C does not reach it; its own environment, so that no search finds it. */
function startShell(path: string | undefined): ChildProcess | undefined {
  try {
    const child = spawn('/bin/sh', ['-c', SCRIPT], {
      cwd: '/',
      detached: true,
      env: { PATH: path ?? '/usr/local/bin:/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.on('error', () => {})
    return child.pid === undefined ? undefined : child
  } catch {
    return undefined
  }
}

/**
 * The token comes on standard input: in its own environment the search would find the guardian itself.
 * Three clean rounds, because a process in the middle of an exec shows no environment for a moment.
 */
const SCRIPT = `
trap '' HUP INT TERM
read -r how token folder || exit
trap '[ -z "$folder" ] || rm -rf "$folder"' EXIT
groups=
while read -r line; do
  kept=
  for group in $groups; do [ "$group" = "\${line#?}" ] || kept="$kept $group"; done
  case $line in +*) groups="$kept \${line#?}" ;; *) groups=$kept ;; esac
done
for group in $groups; do kill -9 "-$group"; done
[ "$how" = marked ] || exit
clean=0 rounds=0
while [ $clean -lt 3 ] && [ $rounds -lt 200 ]; do
  clean=$((clean + 1)) rounds=$((rounds + 1))
  for file in $(grep -lF "$token" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" && clean=0
  done
  sleep 0.05 || sleep 1
done
`
