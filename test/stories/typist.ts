import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { writeFiles } from './files.ts'
import { NODE, ORLA, type Project } from './project.ts'

/** Someone with a guide beside the keyboard. */
export interface Typist {
  /** Types lines and says yes to what is asked. Gives what is printed; fails where a line does. */
  readonly type: (script: string) => string
  /** Types the commands of a session, and looks whether each prints the lines shown behind it; `…` is any others. */
  readonly compare: (session: string) => void
}

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

export function seatTypist(project: Project): Typist {
  const base = dirname(project.dir)
  const start = `exec "${NODE}" "${ORLA}" "$@"\n`
  writeFiles(base, {
    'yes/orla': `#!/bin/sh\ncase $1 in install | update | grant | diff | search | recommend) set -- "$@" --yes ;; esac\n${start}`,
    'no/orla': `#!/bin/sh\n${start}`,
    'programs/pass': '#!/bin/sh\necho of-the-safe\n',
    'programs/dotnet': '#!/bin/sh\necho 6.0.36\n',
  })
  // Nothing here leaves the machine, and reading certificates takes a third of a start.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = project.env
  const run = (script: string, programs: string) => {
    const { status, stdout } = spawnSync('sh', ['-euc', `exec 2>&1\n${script}`], {
      cwd: project.dir,
      env: {
        ...env,
        ...AUTHOR,
        PATH: [join(base, programs), join(base, 'programs'), env.PATH].join(':'),
        ORLA_PORT: '0', // another program may have the usual one
      },
      encoding: 'utf8',
      input: 'true\n', // a value like any other, and a command that does nothing
    })
    if (status !== 0) throw new Error(`status ${status} of:\n${script}\n\nprinted:\n${stdout}`)
    return stdout
  }

  return {
    type: (script) => run(script, 'yes'),
    compare(session) {
      for (const part of session.split(/^\$ /m).slice(1)) {
        const [command = '', ...shown] = part.trimEnd().split('\n')
        const printed = run(`${command} || true`, 'no').replaceAll(project.dir, '/home/ada/project')
        expect(printed.trimEnd(), command).toMatch(patternOf(shown))
      }
    },
  }
}

function patternOf(shown: readonly string[]): RegExp {
  const lines = shown.map((line) => (line === '…' ? '(?:.*\n)*' : `${literally(line)}(?:\n|$)`))
  return new RegExp(`^${lines.join('').replace(/\(\?:\.\*\n\)\*$/, '[^]*')}$`)
}

function literally(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
}
