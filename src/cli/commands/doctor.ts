import { type Check, examine } from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'

export const doctorCommand: Handler = async (input, { world, printer }) => {
  const checks = await examine(world, configRequest(input))
  const ok = !checks.some((check) => check.state === 'fails')
  if (input.flag('json')) {
    printer.json({ ok, checks })
    return ok ? 0 : 1
  }
  const width = Math.max(...checks.map((check) => check.name.length))
  for (const { name, state, message, hint } of checks) {
    const { mark, style } = MARKS[state]
    printer.data(`${printer.paint(style, mark)} ${name.padEnd(width)}  ${oneLine(message)}`)
    if (hint !== undefined) printer.data(`  ${' '.repeat(width)}  → ${oneLine(hint)}`)
  }
  printer.note(ok ? '\nReady to serve.' : '\nServing is not possible until the lines marked ✗ are fixed.')
  return ok ? 0 : 1
}

const MARKS = {
  ok: { mark: '✓', style: 'green' },
  warns: { mark: '!', style: 'yellow' },
  fails: { mark: '✗', style: 'red' },
} as const satisfies Record<Check['state'], { mark: string; style: string }>
