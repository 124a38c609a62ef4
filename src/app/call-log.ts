import type { LogLevel } from '../model/index.ts'
import { isLogged, type LineBuffer, type LogSettings, type LogSink, recordLine } from '../platform/index.ts'
import { callFields } from './call-fields.ts'
import { createCallLines } from './call-line.ts'
import type { OnCalls } from './calls.ts'
import { AT, type EndedCalls, NUMBERS } from './ended-calls.ts'

/** One record for each call, the same fields every time. Those of calls that are told together are made together. */
export function createCallLog(sink: Pick<LogSink, 'add' | 'colours'>, settings: () => LogSettings): OnCalls {
  const writeLine = createCallLines()
  return (calls) => {
    const { format, level } = settings()
    // A call that succeeded is of level `info`, one that failed of level `warn`.
    if (!isLogged('warn', level)) return
    const all = isLogged('info', level)
    sink.add((lines) => {
      calls.each((index) => {
        const kind = calls.kind(index)
        if (!all && (kind !== undefined || calls.measurement(index).success)) return
        if (kind !== undefined && format === 'json') writeLine(lines, kind, calls, index)
        else writeOther(lines, calls, index, format)
      })
    })
  }

  function writeOther(
    lines: LineBuffer,
    calls: EndedCalls,
    index: number,
    format: LogSettings['format'],
  ): void {
    const measurement = calls.measurement(index)
    const time = new Date(calls.numbers()[index * NUMBERS + AT] ?? 0)
    const level: LogLevel = measurement.success ? 'info' : 'warn'
    lines.text(`${recordLine(format, time, level, 'call', callFields(measurement), sink.colours)}\n`)
  }
}
