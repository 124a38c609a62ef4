// argv, env, exit code, signals: nothing else in the program reads or sets them.
import { realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Recording } from './answers/index.ts'
import { createOutlet, lookFrom, type World } from './app/index.ts'
import { run } from './cli/index.ts'
import { OrlaError } from './model/index.ts'
import type { Streams } from './streams.ts'

declare const __ORLA_VERSION__: string

/** Told by the command that needs it, in its words: `orla help` needs none. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw new OrlaError('E_FILE', 'the folder you are in is gone', {
      cause: error,
      hint: 'change to another one and repeat the command',
    })
  }
}

/** `recording` notes what the command looks at, and what it prints. */
export function start({ stdout, stderr, client, end }: Streams, recording?: Recording): void {
  const heard: Recording['heard'] = recording?.heard ?? ((_, outlet) => outlet)
  const world: World = {
    env: recording?.env ?? process.env,
    get cwd() {
      return workingFolder()
    },
    version: __ORLA_VERSION__,
    folder: dirname(realpathSync.native(process.argv[1] ?? '.')),
    get stdin() {
      recording?.doubt()
      return process.stdin // opening it costs something, and only few commands read it
    },
    stdinFd: 0,
    stdoutFd: 1,
    out: heard(1, createOutlet(1, stdout)),
    err: heard(2, createOutlet(2, stderr)),
    get stdout() {
      recording?.doubt()
      return client()
    },
    get stderr() {
      recording?.doubt()
      return stderr()
    },
    ...(recording && { doubt: recording.doubt }),
    onSignal(name, handler) {
      process.on(name, handler)
      return () => process.off(name, handler)
    },
    onPanic(handler) {
      process.on('uncaughtException', (error) => handler(error, 'an uncaught exception'))
      process.on('unhandledRejection', (error) => handler(error, 'an unhandled rejection'))
    },
  }
  // A look past Node is not noted. Without it, to tell whether a problem is there.
  if (recording === undefined && process.env.ORLA_LOOKER !== 'off') lookFrom(world.folder)
  const program = basename(process.argv[1] ?? 'orla').replace(/\.[cm]?js$/, '')
  void run(world, program, process.argv.slice(2)).then(end)
}
