import type { NetworkOptions } from '../app/index.ts'
import type { Input } from './command.ts'

export function networkOptions(input: Input): NetworkOptions {
  const registry = input.text('registry')
  return {
    offline: input.flag('offline'),
    refresh: input.flag('refresh'),
    ...(registry === undefined ? {} : { registry }),
  }
}
