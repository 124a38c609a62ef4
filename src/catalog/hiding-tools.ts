import { hiddenMessage } from '../formats/index.ts'
import { findHiddenIn, oneLine, type Problem, type Tool } from '../model/index.ts'

const TOLD = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'icons', 'meta'] as const

/** Why a tool is not served: what clients are told about it holds characters that nobody sees. */
export function hidingProblem(tool: Tool, file: string): Problem | undefined {
  for (const part of TOLD) {
    const hidden = findHiddenIn(tool[part], [part])
    if (!hidden) continue
    const where = oneLine(hidden.path.join('.'))
    return {
      file,
      message: `\`${oneLine(tool.name)}\` is not served: its ${where} ${hiddenMessage(hidden)}`,
      hint: 'models would read what nobody sees; ask its author what it is for',
    }
  }
  return undefined
}
