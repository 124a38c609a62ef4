import { capsuleLogs, commandCapsule, listCapsules } from '../../app/index.ts'
import { type CapsuleStatus, escapeControls, nearest, OrlaError } from '../../model/index.ts'
import type { Handler, Input } from '../command.ts'
import type { Printer } from '../printer.ts'
import { configRequest } from '../settings.ts'
import { shownVersion } from '../shown-version.ts'

export const capsuleListCommand: Handler = async (input, { world, printer }) => {
  const servers = await listCapsules(world, configRequest(input))
  if (input.flag('json')) {
    printer.json({ servers })
    return 0
  }
  const all = servers.flatMap(({ server, capsules }) => capsules.map((capsule) => ({ server, capsule })))
  if (all.length === 0) {
    printer.note('No capsules are served. `orla new NAME --capsule` starts one.')
    return 0
  }
  const several = servers.length > 1
  printer.table(
    all.map(({ server, capsule }) => [
      capsule.name,
      shownVersion(capsule.version),
      capsule.state,
      capsule.pid === null ? '-' : String(capsule.pid),
      String(capsule.calls),
      String(capsule.crashes),
      ...(several ? [server.url ?? `stdio, pid ${server.pid}`] : []),
    ]),
    ['NAME', 'VERSION', 'STATE', 'PID', 'CALLS', 'CRASHES', ...(several ? ['SERVER'] : [])],
  )
  return 0
}

export const capsuleStatusCommand: Handler = async (input, { world, printer }) => {
  const name = input.positionals[0] ?? ''
  const known = (await listCapsules(world, configRequest(input))).flatMap(({ capsules }) => capsules)
  const found = known.filter((capsule) => capsule.name === name)
  if (found.length === 0) {
    const close = nearest(
      name,
      known.map((capsule) => capsule.name),
    )
    throw new OrlaError('E_NOT_FOUND', `the server has no capsule \`${name}\``, {
      hint: close ? `did you mean \`${close}\`?` : '`orla capsule list` shows what it has',
    })
  }
  print(printer, input, found)
  return 0
}

export const capsuleStartCommand = command('start')
export const capsuleStopCommand = command('stop')
export const capsuleRestartCommand = command('restart')

function command(operation: 'start' | 'stop' | 'restart'): Handler {
  return async (input, { world, printer }) => {
    const name = input.positionals[0] ?? ''
    const statuses = await commandCapsule(world, configRequest(input), operation, name)
    if (input.flag('json')) printer.json({ capsules: statuses })
    else for (const status of statuses) printer.data(stateLine(status))
    return 0
  }
}

export const capsuleLogsCommand: Handler = async (input, { world, printer }) => {
  const lines = await capsuleLogs(world, configRequest(input), input.positionals[0] ?? '')
  if (input.flag('json')) printer.json({ lines })
  else
    for (const { time, source, text } of lines)
      printer.data(`${time} ${source.padEnd(6)} ${escapeControls(text)}`)
  return 0
}

function print(printer: Printer, input: Input, statuses: readonly CapsuleStatus[]): void {
  if (input.flag('json')) {
    printer.json({ capsules: statuses })
    return
  }
  for (const status of statuses) {
    printer.data(stateLine(status))
    printer.table([
      ['since', status.since],
      ['calls', `${status.calls} answered, ${status.running} running, ${status.waiting} waiting`],
      ['started', `${status.starts} ${status.starts === 1 ? 'time' : 'times'}`],
      ['crashes', String(status.crashes)],
      ['tools', status.tools.join(', ') || '-'],
      ...(status.last_error === null ? [] : [['last error', status.last_error]]),
    ])
  }
}

function stateLine({ name, version, state, pid }: CapsuleStatus): string {
  return `${name} ${version} is ${state}${pid === null ? '' : ` (pid ${pid})`}`
}
