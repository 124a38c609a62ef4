import { orEveryones, type PackageDiff, updatePackages } from '../../app/index.ts'
import { OrlaError } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { updateLines, updateTestLines } from '../diff-lines.ts'
import { noteEveryones } from '../everyones.ts'
import { networkOptions } from '../network.ts'
import { nothingNewer } from '../nothing-newer.ts'
import { planJson } from '../plan-json.ts'
import { planLines } from '../plan-lines.ts'
import type { Printer } from '../printer.ts'
import { configRequest } from '../settings.ts'
import { wrapLine } from '../wrap.ts'

export const updateCommand: Handler = async (input, context) => {
  const { world, printer } = context
  const conversation = { ...converse(input, context), compared }
  const request = {
    ...networkOptions(input),
    names: input.positionals,
    dryRun: input.flag('dry-run'),
    prune: input.flag('prune'),
    test: !input.flag('no-test'),
    allowDowngrade: input.flag('allow-downgrade'),
    safe: input.flag('safe'),
  }
  if (request.safe && !request.test) {
    throw new OrlaError('E_USAGE', '--safe goes by the tests, and --no-test runs none')
  }
  const config = configRequest(input)

  /** Once by what is written, and again by what the tests have shown. */
  function compared(diff: PackageDiff): void {
    if (input.flag('json')) return
    conversation.done()
    const plain: Printer['paint'] = (_style, text) => text
    const lines = diff.tests === null ? updateLines(diff, plain) : updateTestLines(diff, plain)
    const width = world.err.isTTY ? world.err.columns || 80 : undefined
    for (const line of lines.flatMap((one) => wrapLine(one, width))) printer.note(line)
  }

  const { outdated, unasked, report, pruned } = await orEveryones(
    world,
    config,
    request.names,
    updatePackages(world, config, request, conversation),
  ).finally(() => conversation.done())
  if (input.flag('json')) {
    printer.json({
      dry_run: request.dryRun,
      outdated,
      unasked,
      planned: planJson(report.planned),
      installed: report.installed,
      pruned: pruned.map(({ name, version }) => ({ name, version })),
    })
    return unasked.length === 0 ? 0 : 1
  }
  if (outdated.length === 0) printer.data(nothingNewer(unasked))
  if (request.dryRun) {
    for (const line of planLines({ packages: report.planned })) printer.data(line)
    const paint: Printer['paint'] = (style, text) => printer.paint(style, text)
    const diffs = report.planned.flatMap(({ diff }) => diff ?? [])
    for (const line of diffs.flatMap((diff) => updateLines(diff, paint))) printer.data(line)
  }
  for (const { name, version } of report.installed) {
    const before = outdated.find((one) => one.name === name)?.current
    printer.data(
      before === undefined ? `${name} ${version} installed` : `${name} ${before} → ${version} installed`,
    )
  }
  for (const { name, version } of pruned) printer.data(`${name} ${version} removed`)
  await noteEveryones(input, context)
  return unasked.length === 0 ? 0 : 1
}
