import { countOutcomes, runTests, type TestRequest, type TestRun, watchTests } from '../../app/index.ts'
import { OrlaError, oneLine } from '../../model/index.ts'
import type { Handler, Input } from '../command.ts'
import { converse } from '../conversation.ts'
import { printProblems } from '../problems.ts'
import { createReporters } from '../reporters/reporter.ts'
import { configRequest } from '../settings.ts'

export const testCommand: Handler = async (input, context) => {
  const { world, printer } = context
  const reporter = createReporters(input, context)
  const { consent } = converse(input, context)
  const request = { ...requestOf(input), ask: consent }
  if (!input.flag('watch')) {
    const run = await runTests(world, configRequest(input), request, (outcome) => reporter.outcome(outcome))
    reporter.end(run)
    printProblems(printer, run.problems)
    return statusOf(run)
  }
  let status = 1
  await watchTests(world, configRequest(input), request, {
    onOutcome: (outcome) => reporter.outcome(outcome),
    onRun(run) {
      reporter.end(run)
      printProblems(printer, run.problems)
      status = statusOf(run)
    },
    onWaiting: () => printer.note('Waiting for changes; Ctrl-C ends.'),
    onProblem(error) {
      printer.error(error)
      status = 1
    },
    onChange: (file) => printer.note(`\n${oneLine(file)} changed.`),
  })
  return status
}

function statusOf({ outcomes }: TestRun): number {
  return countOutcomes(outcomes).failed === 0 ? 0 : 1
}

function requestOf(input: Input): TestRequest {
  const [given] = input.positionals
  const isAll = input.flag('all')
  if (isAll && given !== undefined) {
    throw new OrlaError('E_USAGE', `--all is about every package; ${JSON.stringify(given)} is one`)
  }
  const filter = input.text('filter')
  const jobs = numberOf(input, 'jobs', 1_000)
  return {
    what: isAll ? null : (given ?? '.'),
    repeat: numberOf(input, 'repeat', 100_000) ?? 1,
    ...(filter === undefined ? {} : { filter }),
    ...(jobs === undefined ? {} : { jobs }),
  }
}

function numberOf(input: Input, option: string, most: number): number | undefined {
  const written = input.text(option)
  if (written === undefined) return undefined
  const number = Number(written)
  if (/^\d+$/.test(written) && number >= 1 && number <= most) return number
  throw new OrlaError(
    'E_USAGE',
    `--${option} must be a number from 1 to ${most}, not ${JSON.stringify(written)}`,
  )
}
