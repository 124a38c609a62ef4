#!/usr/bin/env node
// Repeats an answer that was kept, or loads the program.
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { keepsAnswers, keptAnswer, questionOf, type Recording, type startRecording } from './answers/index.ts'
import { openCode } from './kept-code.ts'
import type { start } from './main.ts'
import { createPlainOutlet, lookAt, lookFrom } from './platform/index.ts'
import { openStreams } from './streams.ts'

declare const __ORLA_VERSION__: string

/** The build puts names here that change with whatever is in the program. */
const MAIN = './main.cjs'
const RECORDING = './recording.cjs'

const folder = dirname(__filename)
const [command] = process.argv.slice(2)
const home = process.env.ORLA_HOME || join(process.env.HOME || homedir(), '.orla')
const streams = openStreams()
let recording: Recording | undefined
const code = openCode({
  from: join(folder, 'chunks'),
  // Other versions of Orla, of Node and of V8's flags reject each other's files or never see them. Each command keeps
  // what it needs of the code: what another one left would be too little, or more than enough.
  place: join(
    home,
    'cache/code',
    `${__ORLA_VERSION__}-${process.version}-${process.arch}`,
    /^[a-z]{1,12}$/.exec(command ?? '')?.[0] ?? 'serve',
  ),
  builtin: (id) => recording?.module(id) ?? module.require(id),
})

process.once('exit', (status) => {
  if (status !== 0) return
  code.keep()
  recording?.keep()
})

if (!keepsAnswers(command) || !repeat())
  (code.load(MAIN) as { start: typeof start }).start(streams, recording)

/** True when the answer of an earlier run is still right, and printed. */
function repeat(): boolean {
  const begun = Date.now()
  // To tell whether a problem is there.
  if (process.env.ORLA_LOOKER !== 'off') lookFrom(folder)
  const out = createPlainOutlet(1, streams.stdout)
  const err = createPlainOutlet(2, streams.stderr)
  try {
    const question = questionOf({
      program: [MAIN, process.version, basename(process.argv[1] ?? '')],
      words: process.argv.slice(2),
      cwd: process.cwd(),
      home,
      user: [process.getuid?.(), process.getgid?.()],
      widths: [out, err].map(({ isTTY, columns = 0 }) => (isTTY ? columns : undefined)),
    })
    const pieces = keptAnswer({ question, env: process.env, now: begun, lookAt })
    if (pieces === undefined) {
      const { startRecording: record } = code.load(RECORDING) as { startRecording: typeof startRecording }
      recording = record({
        question,
        home,
        env: process.env,
        load: module.require.bind(module),
        lookAt,
        begun,
      })
      return false
    }
    for (const { fd, bytes } of pieces) (fd === 1 ? out : err).write(bytes)
  } catch {
    // The folder is gone, the disk is full: the command has words for it.
    return false
  }
  streams.end(0)
  return true
}
