import { countOutcomes, type DiffLine, type TestOutcome } from '../../app/index.ts'
import { escapeControls, oneLine } from '../../model/index.ts'
import type { Context } from '../command.ts'
import type { Printer } from '../printer.ts'
import { baselineLines } from './baseline-lines.ts'
import type { Reporter } from './reporter.ts'

/** For people: a line for each test, and below a failed one what differs. */
export function createTerminalReporter({ printer, world }: Context): Reporter {
  const paint: Printer['paint'] = (style, text) => printer.paint(style, text)
  const marks = {
    passed: paint('green', '✓'),
    failed: paint('red', '✗'),
    skipped: paint('yellow', '-'),
  }
  let tool: string | undefined
  return {
    outcome(outcome) {
      const { status, name, ms, runs, reasons, diff } = outcome
      if (outcome.tool !== tool) printer.data(paint('bold', oneLine(outcome.tool)))
      tool = outcome.tool
      const time = runs === 0 ? '' : ` ${paint('dim', `${Math.round(ms)} ms`)}`
      printer.data(`${marks[status]} ${oneLine(name)}${time}${flakiness(outcome)}`)
      for (const reason of reasons) printer.data(`    ${indent(reason)}`)
      for (const line of diff) printer.data(`    ${drawn(line, printer)}`)
    },
    end({ outcomes, names, baseline }) {
      tool = undefined
      if (baseline !== undefined)
        for (const line of baselineLines(baseline, world.cwd, paint)) printer.data(line)
      if (outcomes.length === 0) {
        printer.data(names.length === 1 ? `${names[0]} has no tests` : 'none of the packages has tests')
        return
      }
      const { passed, failed, skipped } = countOutcomes(outcomes)
      printer.data(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
    },
  }
}

function flakiness({ runs, failedRuns }: TestOutcome): string {
  if (runs < 2) return ''
  return failedRuns === 0 ? ` (${runs} runs)` : ` (failed in ${failedRuns} of ${runs} runs)`
}

function indent(reason: string): string {
  return escapeControls(reason).replaceAll('\n', '\n    ')
}

const SIGNS = { both: ' ', expected: '-', found: '+', gap: ' ' } as const
const COLOURS = { both: 'dim', expected: 'red', found: 'green', gap: 'dim' } as const

function drawn({ side, depth, text }: DiffLine, printer: Printer): string {
  const shown = side === 'gap' ? `… ${text}` : text
  return printer.paint(COLOURS[side], `${SIGNS[side]} ${'  '.repeat(depth)}${oneLine(shown)}`)
}
