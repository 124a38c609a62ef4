import { type Verification, verifyPackages } from '../../app/index.ts'
import { OrlaError, oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import type { Printer } from '../printer.ts'
import { configRequest } from '../settings.ts'

const REFUSED = 3

export const verifyCommand: Handler = async (input, { world, printer }) => {
  const { positionals } = input
  if (input.flag('all') && positionals.length > 0) {
    throw new OrlaError('E_USAGE', `--all is everything; ${positionals.join(', ')} is too much`)
  }
  const results = await verifyPackages(world, configRequest(input), positionals)
  const ok = results.every(({ passes }) => passes)
  if (input.flag('json')) printer.json({ ok, results })
  else print(printer, results)
  return ok ? 0 : REFUSED
}

function print(printer: Printer, results: readonly Verification[]): void {
  for (const { name, version, path, outcome, message, passes, ...difference } of results) {
    const what = name === null ? path : `${name} ${version}`
    const shown = printer.paint(passes ? 'green' : 'red', outcome)
    printer.data(`${oneLine(what)}  ${shown}${message === '' ? '' : `  ${oneLine(message)}`}`)
    for (const kind of ['changed', 'added', 'missing'] as const)
      for (const file of difference[kind]) printer.data(`  ${kind.padEnd(7)}  ${oneLine(file)}`)
  }
  if (results.length === 0) printer.note('Nothing is installed here.')
}
