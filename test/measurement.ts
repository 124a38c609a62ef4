import type { Measurement } from '../src/model/index.ts'

/** What is told about a call of a tool that succeeded. */
export function measured(tool: string): Measurement {
  return {
    tool,
    version: '1.0.0',
    ms: 5,
    queuedMs: 0,
    success: true,
    exitCode: 0,
    bytesIn: 1,
    bytesOut: 1,
    caller: { connection: 'test', requestId: 1, transport: 'cli', era: 'none' },
  }
}
