import { describeUnenforced, grantPackage, listGrants, revokeGrants, shownSource } from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { configRequest } from '../settings.ts'

export const grantsCommand: Handler = async (input, { world, printer, program }) => {
  const { grants, waiting } = await listGrants(world, configRequest(input), input.positionals[0])
  if (input.flag('json')) {
    printer.json({
      grants: grants.map(({ pin, ...grant }) => ({ ...grant, from: pin ? shownSource(pin) : null })),
      waiting,
    })
    return 0
  }
  for (const { name, version, permissions, accepted_at, how, pin, unenforced } of grants) {
    printer.data(`${name} ${version}  accepted ${accepted_at} (${how})`)
    if (pin !== undefined) printer.data(`  from  ${oneLine(shownSource(pin))}`)
    for (const word of permissions) printer.data(`  may   ${oneLine(word)}`)
    if (permissions.length === 0) printer.data('  may   nothing outside its own folder')
    if (unenforced.length > 0)
      printer.data(`  NOT   enforced on this machine: ${describeUnenforced(unenforced)}`)
  }
  for (const { name, version, permissions } of waiting) {
    printer.data(`${name} ${version}  not accepted; \`${program} grant ${name}@v${version}\``)
    for (const word of permissions) printer.data(`  asks  ${oneLine(word)}`)
  }
  if (grants.length + waiting.length === 0)
    printer.note('Nothing was accepted yet, and nothing waits for it.')
  return 0
}

export const grantCommand: Handler = async (input, context) => {
  const { world, printer } = context
  const conversation = converse(input, context)
  const report = await grantPackage(world, configRequest(input), input.positionals, conversation)
  if (input.flag('json')) {
    printer.json(report)
    return 0
  }
  const { name, version, status, permissions, asks_at_update } = report
  const words =
    permissions.length === 0 ? 'nothing outside its own folder' : permissions.map(oneLine).join(', ')
  if (status === 'own') printer.data(`${name} ${version} was put here by hand: it runs without a grant`)
  else printer.data(`${name} ${version} may ${status === 'unchanged' ? 'already ' : ''}use: ${words}`)
  if (asks_at_update)
    printer.note('Its next update will ask again, unless it is installed from its source once more before.')
  return 0
}

export const revokeCommand: Handler = async (input, { world, printer }) => {
  const reports = await revokeGrants(world, configRequest(input), input.positionals)
  if (input.flag('json')) {
    printer.json({ revoked: reports })
    return 0
  }
  for (const { name, version, taken, left } of reports) {
    if (left === null) printer.data(`${name} ${version} may not run any more`)
    else printer.data(`${name} ${version} may not use ${taken.map(oneLine).join(', ')} any more`)
  }
  return 0
}
