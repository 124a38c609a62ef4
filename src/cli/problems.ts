import { oneLine, type Problem } from '../model/index.ts'
import { count } from './count.ts'
import type { Printer } from './printer.ts'

/** What is wrong with single tools, beside those that work. */
export function printProblems(printer: Printer, problems: readonly Problem[]): void {
  if (problems.length === 0) return
  printer.note(`\n${count(problems.length, 'problem')}:`)
  for (const { file, line, message, hint } of problems) {
    printer.note(`  ${oneLine(file)}${line === undefined ? '' : `:${line}`}: ${oneLine(message)}`)
    if (hint !== undefined) printer.note(`    → ${oneLine(hint)}`)
  }
}
