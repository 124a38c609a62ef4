import { validatePackage } from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { count } from '../count.ts'

export const validateCommand: Handler = async (input, { world, printer }) => {
  const { name, version, problems } = await validatePackage(world, input.positionals[0] ?? '.')
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (input.flag('json')) {
    printer.json({ ok: errors.length === 0, name, version, problems })
    return errors.length === 0 ? 0 : 1
  }
  for (const { file, line, column, message, hint, severity } of problems) {
    const place = `${oneLine(file)}:${line}:${column}`
    printer.data(`${place}: ${severity === 'warning' ? 'warning: ' : ''}${oneLine(message)}`)
    if (hint !== undefined) printer.data(`  → ${oneLine(hint)}`)
  }
  if (errors.length === 0) printer.data(`${name} ${version} is a valid package.`)
  else printer.note(count(errors.length, 'error'))
  return errors.length === 0 ? 0 : 1
}
