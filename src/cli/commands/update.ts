import { orEveryones, updatePackages } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { noteEveryones } from '../everyones.ts'
import { networkOptions } from '../network.ts'
import { planJson } from '../plan-json.ts'
import { planLines } from '../plan-lines.ts'
import { configRequest } from '../settings.ts'

export const updateCommand: Handler = async (input, context) => {
  const { world, printer } = context
  const conversation = converse(input, context)
  const request = {
    ...networkOptions(input),
    names: input.positionals,
    dryRun: input.flag('dry-run'),
    prune: input.flag('prune'),
    test: !input.flag('no-test'),
  }
  const config = configRequest(input)
  const { outdated, report, pruned } = await orEveryones(
    world,
    config,
    request.names,
    updatePackages(world, config, request, conversation),
  ).finally(() => conversation.done())
  if (input.flag('json')) {
    printer.json({
      dry_run: request.dryRun,
      outdated,
      planned: planJson(report.planned),
      installed: report.installed,
      pruned: pruned.map(({ name, version }) => ({ name, version })),
    })
    return 0
  }
  if (outdated.length === 0) printer.data('Everything is up to date.')
  if (request.dryRun) for (const line of planLines({ packages: report.planned })) printer.data(line)
  for (const { name, version } of report.installed) {
    const before = outdated.find((one) => one.name === name)?.current
    printer.data(before === undefined ? `${name} ${version} installed` : `${name} ${before} → ${version}`)
  }
  for (const { name, version } of pruned) printer.data(`${name} ${version} removed`)
  await noteEveryones(input, context)
  return 0
}
