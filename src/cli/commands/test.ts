import { isFailed, runTests, type TestRequest, type TestRun, watchTests } from '../../app/index.ts'
import { OrlaError, oneLine } from '../../model/index.ts'
import type { Handler, Input } from '../command.ts'
import { converse } from '../conversation.ts'
import { numberOf } from '../numbers.ts'
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

function statusOf(run: TestRun): number {
  return isFailed(run) ? 1 : 0
}

function requestOf(input: Input): TestRequest {
  const [given] = input.positionals
  const isAll = input.flag('all')
  if (isAll && given !== undefined) {
    throw new OrlaError('E_USAGE', `--all is about every package; ${JSON.stringify(given)} is one`)
  }
  if (input.flag('baseline') && input.flag('watch')) {
    throw new OrlaError('E_USAGE', '--baseline stores one run; --watch has many', {
      hint: 'store it first, then watch',
    })
  }
  const filter = input.text('filter')
  const jobs = numberOf(input, 'jobs', 1_000)
  return {
    what: isAll ? null : (given ?? '.'),
    repeat: numberOf(input, 'repeat', 100_000) ?? 1,
    storeBaseline: input.flag('baseline'),
    strict: input.flag('strict'),
    ...(filter === undefined ? {} : { filter }),
    ...(jobs === undefined ? {} : { jobs }),
  }
}
