import {
  addRegistryTo,
  addToolTo,
  initRegistry,
  listRegistries,
  removeRegistryFrom,
} from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'

export const registryListCommand: Handler = async (input, { world, printer }) => {
  const registries = await listRegistries(world, configRequest(input))
  if (input.flag('json')) printer.json({ registries })
  else
    printer.table(
      registries.map(({ name, url, trusted }) => [name, trusted ? 'trusted' : 'not yet trusted', url]),
      ['NAME', 'TRUST', 'URL'],
    )
  return 0
}

export const registryAddCommand: Handler = async (input, { world, printer }) => {
  const [name = '', address = ''] = input.positionals
  const { file, url, isNew, warnings } = await addRegistryTo(world, configRequest(input), name, address)
  for (const { message, hint } of warnings) {
    printer.note(`warning: ${oneLine(message)}`)
    if (hint !== undefined) printer.note(` hint: ${oneLine(hint)}`)
  }
  if (input.flag('json')) printer.json({ name, url, file })
  else printer.data(isNew ? `${name} added to ${file}` : `${name} was there already; it is trusted now`)
  return 0
}

export const registryRemoveCommand: Handler = async (input, { world, printer }) => {
  const name = input.positionals[0] ?? ''
  const { file } = await removeRegistryFrom(world, configRequest(input), name)
  if (input.flag('json')) printer.json({ name, file })
  else printer.data(`${name} removed from ${file}`)
  return 0
}

export const registryInitCommand: Handler = async (input, { world, printer, program }) => {
  const { folder } = await initRegistry(world, input.positionals[0] ?? '.')
  if (input.flag('json')) printer.json({ folder })
  else {
    printer.data(`registry made in ${folder}`)
    printer.note(`Add a tool: ${program} registry add-tool ${input.positionals[0] ?? '.'} REPOSITORY`)
  }
  return 0
}

export const registryAddToolCommand: Handler = async (input, { world, printer }) => {
  const [where = '', repository = ''] = input.positionals
  const { file, name, version } = await addToolTo(world, where, repository)
  if (input.flag('json')) printer.json({ file, name, version })
  else {
    printer.data(`${name} (${version}) listed in ${file}`)
    printer.note('Commit and push it, and everyone who uses the registry can install it.')
  }
  return 0
}
