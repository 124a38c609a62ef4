import { exportKey, generateKey, importKey, listKeys, type OwnKey, rotateKey } from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Context, Handler, Input } from '../command.ts'
import { configRequest } from '../settings.ts'

export const keysGenerateCommand: Handler = async (input, context) => {
  const made = await generateKey(context.world, configRequest(input), input.positionals[0])
  tellKey(input, context, made, 'made')
  return 0
}

export const keysImportCommand: Handler = async (input, context) => {
  const [file = ''] = input.positionals
  const warn = (message: string) => context.printer.note(`warning: ${oneLine(message)}`)
  const taken = await importKey(context.world, configRequest(input), file, warn, input.text('name'))
  tellKey(input, context, taken, 'imported')
  return 0
}

export const keysListCommand: Handler = async (input, { world, printer, program }) => {
  const keys = listKeys(world, configRequest(input))
  if (input.flag('json')) {
    printer.json({ keys })
    return 0
  }
  printer.table(keys.map(({ name, fingerprint, key }) => [name, fingerprint, key]))
  if (keys.length === 0) printer.note(`There are no keys; \`${program} keys generate\` makes one.`)
  return 0
}

export const keysExportCommand: Handler = async (input, { world, printer }) => {
  const [name = ''] = input.positionals
  const key = exportKey(world, configRequest(input), name)
  if (input.flag('json')) printer.json({ name, key })
  else printer.data(key)
  return 0
}

export const keysRotateCommand: Handler = async (input, { world, printer }) => {
  const [from = '', to = '', where = '.'] = input.positionals
  const rotated = rotateKey(world, configRequest(input), from, to, where)
  if (input.flag('json')) printer.json(rotated)
  else {
    printer.data(`${rotated.from} names ${rotated.to} as its successor in ${rotated.file}`)
    printer.note('Sign the next version with the new key, and keep this file in the package.')
  }
  return 0
}

function tellKey(input: Input, { printer, program }: Context, key: OwnKey, how: string): void {
  if (input.flag('json')) {
    printer.json(key)
    return
  }
  printer.data(`key ${key.name} ${how}: ${key.fingerprint}`)
  printer.note(`Tell people its public half: ${program} keys export ${key.name}`)
}
