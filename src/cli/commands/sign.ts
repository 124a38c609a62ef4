import { signPackage } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'

export const signCommand: Handler = async (input, { world, printer }) => {
  const [file = ''] = input.positionals
  const signed = await signPackage(world, configRequest(input), file, input.text('key'))
  if (input.flag('json')) printer.json(signed)
  else printer.data(`${signed.name} ${signed.version} in ${signed.file} is signed by ${signed.fingerprint}`)
  return 0
}
