import type { ConfigRequest } from '../app/index.ts'
import { OrlaError } from '../model/index.ts'
import type { Input } from './command.ts'

const FLAG_SETTINGS: Readonly<Record<string, string>> = {
  port: 'port',
  host: 'host',
  'tools-dir': 'tools_dir',
  timeout: 'timeout',
  'log-format': 'log_format',
  'log-level': 'log_level',
}

/** What the flags of a command say about configuration. */
export function configRequest(input: Input): ConfigRequest {
  const flags: Record<string, string> = {}
  for (const [option, key] of Object.entries(FLAG_SETTINGS)) {
    const value = input.text(option)
    if (value !== undefined) flags[key] = value
  }
  if (input.flag('stdio')) flags.transport = 'stdio'
  if (input.flag('pretty')) flags.log_format = 'pretty'
  const file = input.text('config')
  const isGlobal = input.flag('global')
  if (isGlobal && file !== undefined) {
    throw new OrlaError('E_USAGE', '--global and --config exclude each other')
  }
  return { flags, ...(file === undefined ? {} : { file }), ...(isGlobal ? { global: true } : {}) }
}
