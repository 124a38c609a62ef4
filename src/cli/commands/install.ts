import { installPackages } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { networkOptions } from '../network.ts'
import { planJson } from '../plan-json.ts'
import { planLines } from '../plan-lines.ts'
import { configRequest } from '../settings.ts'
import { wayToCall } from '../way-to-call.ts'

export const installCommand: Handler = async (input, context) => {
  const { world, printer, program } = context
  const conversation = converse(input, context)
  const local = input.text('local')
  const request = {
    ...networkOptions(input),
    specs: input.positionals,
    ...(local === undefined ? {} : { local }),
    link: input.flag('link'),
    frozen: input.flag('frozen'),
    dryRun: input.flag('dry-run'),
    force: input.flag('force'),
    test: !input.flag('no-test'),
    allowDowngrade: input.flag('allow-downgrade'),
  }
  const { planned, installed, offered, unserved } = await installPackages(
    world,
    configRequest(input),
    request,
    conversation,
  ).finally(() => conversation.done())
  if (input.flag('json')) {
    printer.json({
      dry_run: request.dryRun,
      planned: planJson(planned),
      installed: installed.map((one) => ({
        ...one,
        offers: offered.get(one.name)?.map(({ name }) => name) ?? null,
      })),
    })
    return 0
  }
  if (request.dryRun) {
    for (const line of planLines({ packages: planned })) printer.data(line)
    return 0
  }
  for (const { name, version, status, folder, pin } of installed) {
    const where =
      request.link && pin.kind === 'directory'
        ? `linked: it is served from ${pin.path}`
        : `installed in ${folder}`
    printer.data(`${name} ${version} ${status === 'unchanged' ? 'is installed already' : where}`)
    const tools = offered.get(name)
    if (tools !== undefined)
      printer.data(`  offers ${tools.map((tool) => tool.name).join(', ') || 'no tools'}`)
  }
  const [first] = installed
  if (first && first.status !== 'unchanged' && !unserved.includes(first.name)) {
    const own = planned.find(({ name }) => name === first.name) ?? first
    const [tool] = offered.get(first.name) ?? [own]
    if (tool) printer.note(`Try it: ${wayToCall(program, tool) ?? `${program} call ${tool.name}`}`)
  }
  return 0
}
