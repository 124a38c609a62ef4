// argv, env, exit code, signals: nothing else in the program reads or sets them.
import { realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { createOutlet, lookFrom, type World } from './app/index.ts'
import { run } from './cli/index.ts'

declare const __ORLA_VERSION__: string

const opened = new Set<NodeJS.WriteStream>()

function openStdout(): NodeJS.WriteStream {
  if (!opened.has(process.stdout)) {
    opened.add(process.stdout)
    // A reader that leaves early is no failure of ours, and what else goes wrong is for who else listens.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && process.stdout.listenerCount('error') === 1) throw error
    })
  }
  return process.stdout
}

function openStderr(): NodeJS.WriteStream {
  opened.add(process.stderr)
  return process.stderr
}

const world: World = {
  env: process.env,
  cwd: process.cwd(),
  version: __ORLA_VERSION__,
  folder: dirname(realpathSync.native(process.argv[1] ?? '.')),
  get stdin() {
    return process.stdin // opening it costs something, and only few commands read it
  },
  stdinFd: 0,
  stdoutFd: 1,
  out: createOutlet(1, openStdout),
  err: createOutlet(2, openStderr),
  get stdout() {
    return openStdout()
  },
  get stderr() {
    return openStderr()
  },
  onSignal(name, handler) {
    process.on(name, handler)
    return () => process.off(name, handler)
  },
  onPanic(handler) {
    process.on('uncaughtException', (error) => handler(error, 'an uncaught exception'))
    process.on('unhandledRejection', (error) => handler(error, 'an unhandled rejection'))
  },
}

// To tell whether a problem is there.
if (world.env.ORLA_LOOKER !== 'off') lookFrom(world.folder)

/** For a reader that is slow; one that does not read at all cannot keep the program. */
const LAST_WORDS_MS = 1_000

const program = basename(process.argv[1] ?? 'orla').replace(/\.[cm]?js$/, '')

void run(world, program, process.argv.slice(2)).then((status) => {
  process.exitCode = status
  if (opened.size === 0) process.exit()
  // What is written drains first, if someone reads it; whatever else might keep the loop alive does not.
  setTimeout(() => process.exit(status), LAST_WORDS_MS)
  const drained = [...opened].map((stream) => new Promise((resolve) => stream.write('', resolve)))
  void Promise.all(drained).then(() => process.exit(status))
})
