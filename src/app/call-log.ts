import type { LogLevel, Measurement } from '../model/index.ts'
import { isLogged, type LogSettings, type LogSink, recordLine } from '../platform/index.ts'
import { callFields } from './call-fields.ts'
import { writeCallLine } from './call-line.ts'
import type { EndedCall, OnCalls } from './calls.ts'

/** One record for each call, the same fields every time. Those of calls that are told together are made together. */
export function createCallLog(sink: Pick<LogSink, 'add' | 'colours'>, settings: () => LogSettings): OnCalls {
  return (calls) => {
    const { format, level } = settings()
    const logged = chosen(calls, level)
    if (logged.length === 0) return
    sink.add((lines) => {
      for (const { measurement, at } of logged) {
        if (format === 'json') writeCallLine(lines, measurement, at)
        else lines.text(`${prettyLine(measurement, at)}\n`)
      }
    })
  }

  function prettyLine(call: Measurement, at: number): string {
    return recordLine('pretty', new Date(at), levelOf(call), 'call', callFields(call), sink.colours)
  }
}

function chosen(calls: readonly EndedCall[], least: LogLevel): readonly EndedCall[] {
  if (isLogged('info', least)) return calls
  return isLogged('warn', least) ? calls.filter(({ measurement }) => !measurement.success) : NONE
}

const NONE: readonly never[] = []

function levelOf({ success }: Measurement): 'info' | 'warn' {
  return success ? 'info' : 'warn'
}
