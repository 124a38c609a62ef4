import type { JsonObject, Progress } from '../../model/index.ts'

/** Undefined when it does not say how far it is. */
export function readProgress({ progress, total, message }: JsonObject): Progress | undefined {
  if (typeof progress !== 'number') return undefined
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  }
}
