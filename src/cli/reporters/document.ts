import { type ReportFormat, renderReport, writeReport } from '../../app/index.ts'
import type { Context } from '../command.ts'
import type { Reporter } from './reporter.ts'

/** A report that is whole only at the end: printed, or written to a file. */
export function createDocumentReporter(
  format: ReportFormat,
  file: string | undefined,
  { world, printer }: Context,
): Reporter {
  return {
    outcome() {},
    end(run) {
      const text = renderReport(run, format)
      if (file === undefined) printer.raw(text)
      else writeReport(world, file, text)
    },
  }
}
