import type { TestOutcome, TestRun } from '../../app/index.ts'
import { OrlaError } from '../../model/index.ts'
import type { Context, Input } from '../command.ts'
import { createDocumentReporter } from './document.ts'
import { createTerminalReporter } from './terminal.ts'

/** Tells what tests found. */
export interface Reporter {
  outcome(outcome: TestOutcome): void
  end(run: TestRun): void
}

const KINDS = ['terminal', 'json', 'junit', 'tap'] as const

interface Wanted {
  readonly kind: (typeof KINDS)[number]
  readonly file?: string
}

/** What `--reporter` and `--json` ask for; the terminal when nothing does. */
export function createReporters(input: Input, context: Context): Reporter {
  const asked = [
    ...input.all('reporter').map(parse),
    ...(input.flag('json') ? [{ kind: 'json' } as const] : []),
  ]
  const wanted: readonly Wanted[] = asked.length === 0 ? [{ kind: 'terminal' }] : asked
  const shared = wanted.filter(({ file }) => file === undefined)
  if (shared.length > 1) {
    const kinds = shared.map(({ kind }) => kind).join(' and ')
    throw new OrlaError('E_USAGE', `${kinds} cannot both be printed`, {
      hint: `give one of them a file: --reporter ${shared[1]?.kind}:FILE`,
    })
  }
  const reporters = wanted.map(({ kind, file }) =>
    kind === 'terminal' ? createTerminalReporter(context) : createDocumentReporter(kind, file, context),
  )
  return {
    outcome: (outcome) => {
      for (const reporter of reporters) reporter.outcome(outcome)
    },
    end: (run) => {
      for (const reporter of reporters) reporter.end(run)
    },
  }
}

/** `junit:out.xml` */
function parse(word: string): Wanted {
  const [, name = word, file] = /^([^:]*):(.+)$/s.exec(word) ?? []
  const kind = KINDS.find((known) => known === name)
  if (kind === undefined) {
    throw new OrlaError('E_USAGE', `there is no reporter ${JSON.stringify(name)}`, {
      hint: `there are ${KINDS.join(', ')}; each but terminal can be written to a file: junit:FILE`,
    })
  }
  if (file === undefined) return { kind }
  if (kind === 'terminal') throw new OrlaError('E_USAGE', 'the reporter terminal is not for files')
  return { kind, file }
}
