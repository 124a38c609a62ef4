import { listSecrets, readAll, removeSecret, setSecret } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { askHidden } from '../hidden-input.ts'
import type { Printer } from '../printer.ts'
import { configRequest } from '../settings.ts'

export const secretSetCommand: Handler = async (input, { world, printer }) => {
  const name = input.positionals[0] ?? ''
  const ask = async () => {
    if (world.stdin.isTTY === true) return askHidden(world, `Value of ${name}:`)
    return (await readAll(world.stdin)).replace(/\r?\n$/, '')
  }
  const { isOverridden } = await setSecret(world, configRequest(input), name, ask, warning(printer))
  if (input.flag('json')) printer.json({ name, stored: true, overridden: isOverridden })
  else printer.data(`${name} is stored`)
  if (isOverridden) printer.note(`The variable ${name} is set here, and wins over what is stored.`)
  return 0
}

export const secretListCommand: Handler = async (input, { world, printer }) => {
  const secrets = listSecrets(world, configRequest(input), warning(printer))
  if (input.flag('json')) {
    printer.json({ secrets: secrets.map(({ name, isOverridden }) => ({ name, overridden: isOverridden })) })
    return 0
  }
  printer.table(
    secrets.map(({ name, isOverridden }) => [name, isOverridden ? '(the variable of this name wins)' : '']),
  )
  if (secrets.length === 0) printer.note('No secrets are stored; `orla secret set NAME` stores one.')
  return 0
}

export const secretRemoveCommand: Handler = async (input, { world, printer }) => {
  const name = input.positionals[0] ?? ''
  await removeSecret(world, configRequest(input), name, warning(printer))
  if (input.flag('json')) printer.json({ name, removed: true })
  else printer.data(`${name} is removed`)
  return 0
}

const warning = (printer: Printer) => (message: string) => printer.note(`warning: ${message}`)
