import { diffPackages, packageDiffJson, whatBreaks } from '../../app/index.ts'
import { OrlaError } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { diffLines } from '../diff-lines.ts'
import { networkOptions } from '../network.ts'
import { numberOf } from '../numbers.ts'
import { configRequest } from '../settings.ts'
import { wrapLine } from '../wrap.ts'

/** The first run of a test is not counted; with the others a shift in time can be shown. */
const DEFAULT_REPEAT = 6

export const diffCommand: Handler = async (input, context) => {
  const { world, printer } = context
  if (input.positionals.length > 2) {
    throw new OrlaError('E_USAGE', 'two versions can be compared, not more')
  }
  const request = {
    ...networkOptions(input),
    words: input.positionals,
    repeat: numberOf(input, 'repeat', 1_000) ?? DEFAULT_REPEAT,
    strict: input.flag('strict'),
    test: !input.flag('no-test'),
  }
  const conversation = converse(input, context)
  const diff = await diffPackages(world, configRequest(input), request, conversation).finally(() =>
    conversation.done(),
  )
  if (input.flag('json')) printer.json(packageDiffJson(diff))
  else {
    const width = world.out.isTTY ? world.out.columns || 80 : undefined
    const lines = diffLines(diff, (style, text) => printer.paint(style, text))
    for (const line of lines.flatMap((one) => wrapLine(one, width))) printer.data(line)
  }
  return whatBreaks(diff).length === 0 ? 0 : 1
}
