import { loadConfig } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'

export const configCommand: Handler = async (input, { world, printer }) => {
  const { settings, file, root, home } = await loadConfig(world, configRequest(input))
  const shown = settings.map(({ key, value, source, secret, about }) => ({
    key,
    value: secret && value !== null ? '(set)' : value,
    source,
    about,
  }))
  if (input.flag('json')) {
    printer.json({ file, root, home, settings: shown })
    return 0
  }
  printer.table(
    shown.map(({ key, value, source }) => [key, value === null ? '-' : spell(value), source]),
    ['KEY', 'VALUE', 'FROM'],
  )
  printer.note(
    file === null ? '\nThere is no orla.yaml here or above; defaults apply.' : `\nConfiguration: ${file}`,
  )
  return 0
}

function spell(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
