import { OrlaError } from '../model/index.ts'
import type { Input } from './command.ts'

/** The value of an option that is a number from 1 on; undefined when it was not given. */
export function numberOf(input: Input, option: string, most: number): number | undefined {
  const written = input.text(option)
  if (written === undefined) return undefined
  const number = Number(written)
  if (/^\d+$/.test(written) && number >= 1 && number <= most) return number
  throw new OrlaError(
    'E_USAGE',
    `--${option} must be a number from 1 to ${most}, not ${JSON.stringify(written)}`,
  )
}
