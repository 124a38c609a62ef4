import { type Config, OrlaError } from '../model/index.ts'
import { type LogSink, openLogSink } from '../platform/index.ts'
import { type World, wantsColour } from './world.ts'

/** Where the settings want the log. */
export function logSinkOf(world: World, { logFile }: Pick<Config, 'logFile'>): LogSink {
  try {
    return openLogSink({
      file: logFile,
      stderr: world.stderr,
      colours: wantsColour(world, world.stderr),
    })
  } catch (error) {
    throw new OrlaError('E_FILE', `cannot write the log file ${logFile}: ${(error as Error).message}`, {
      hint: 'choose another log_file, or leave it out to log to standard error',
    })
  }
}
