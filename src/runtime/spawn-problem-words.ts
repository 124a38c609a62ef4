import type { SpawnProblem } from '../platform/index.ts'

/** Why a tool could not start, and the way out. */
export function spawnProblemWords(problem: SpawnProblem): string {
  switch (problem.kind) {
    case 'cwd-missing':
      return `its working folder ${problem.path} is gone or cannot be entered`
    case 'file-missing':
      return `${problem.path} is gone; it was deleted or moved after the tools were listed. List them again, or put it back`
    case 'interpreter-missing':
      return `its interpreter \`${problem.interpreter}\` is not installed. Install it, or change the first line of ${problem.path}`
    case 'carriage-return':
      return `the first line of ${problem.path} ends in a carriage return, so the system does not find \`${problem.interpreter}\`. Save the file with Unix line endings`
    case 'not-executable':
      return `${problem.path} may not be executed. Allow it with \`chmod +x\``
    case 'no-format':
      return `the system does not know how to run ${problem.path}. A script needs a first line such as \`#!/bin/sh\`; a program may be built for another machine`
    case 'too-large':
      return 'its arguments are too large for a command line. Pass large text as `stdin`, which a tool that lists its parameters has to list too'
    case 'nul-byte':
      return 'its command line contains a NUL character, which no command line can carry'
    case 'busy':
      return `${problem.path} is being written to. Call it again when that is done`
    case 'no-resources':
      return `the system has no room for another process (${problem.code}). Call it again, or lower \`limits.concurrency\``
    case 'denied':
    case 'other':
      return problem.message
  }
}
