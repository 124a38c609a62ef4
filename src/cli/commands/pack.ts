import { packPackage } from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { count } from '../count.ts'
import { configRequest } from '../settings.ts'

export const packCommand: Handler = async (input, { world, printer, program }) => {
  const [out, key] = [input.text('output'), input.text('sign')]
  const packed = await packPackage(world, configRequest(input), input.positionals[0] ?? '.', {
    ...(out === undefined ? {} : { out }),
    ...(key === undefined ? {} : { key }),
    includeSecrets: input.flag('include-secrets'),
  })
  if (input.flag('json')) {
    printer.json(packed)
    return 0
  }
  for (const warning of packed.warnings) printer.note(`warning: ${oneLine(warning)}`)
  const { name, version, file, files, sha256 } = packed
  printer.data(`${name} ${version} packed into ${file}`)
  if (packed.signer !== null) printer.note(`signed by ${packed.signer}`)
  printer.note(`${count(files, 'file')}, sha256 ${sha256}`)
  const isMcpkg = file.endsWith('.mcpkg')
  printer.note(`Install it: ${program} install ${isMcpkg ? '' : '--local '}${file}`)
  return 0
}
