import { describe, expect, it } from 'vitest'
import { spawnProblemWords } from './spawn-problem-words.ts'

const path = '/p/tools/greet.sh'

describe('spawnProblemWords (Q15, Q16)', () => {
  it.each([
    [{ kind: 'cwd-missing', path: '/p' }, '/p', 'gone'],
    [{ kind: 'file-missing', path }, path, 'deleted or moved'],
    [{ kind: 'interpreter-missing', path, interpreter: 'ruby' }, '`ruby` is not installed', path],
    [{ kind: 'carriage-return', path, interpreter: '/bin/sh' }, '`/bin/sh`', 'Unix line endings'],
    [{ kind: 'not-executable', path }, path, 'chmod +x'],
    [{ kind: 'no-format', path }, path, '#!/bin/sh'],
    [{ kind: 'too-large' }, 'too large', '`stdin`'],
    [{ kind: 'nul-byte' }, 'NUL', 'command line'],
    [{ kind: 'busy', path }, path, 'again'],
    [{ kind: 'no-resources', code: 'EAGAIN' }, 'EAGAIN', 'limits.concurrency'],
    [{ kind: 'other', message: 'spawn EIO' }, 'spawn EIO', ''],
  ] as const)('%j says what happened and the way out', (problem, what, wayOut) => {
    expect(spawnProblemWords(problem)).toContain(what)
    expect(spawnProblemWords(problem)).toContain(wayOut)
  })
})
