import type { JsonSchema } from '../model/index.ts'
import { type CommentLine, readCommentBlock } from './comment-block.ts'
import { type Param, parseParam } from './param-line.ts'

const MAX_DESCRIPTION = 4_000

export interface HeaderComment {
  readonly title?: string
  readonly description?: string
  /** Absent when the comment declares no parameter. */
  readonly inputSchema?: JsonSchema
  readonly problems: readonly HeaderProblem[]
}

export interface HeaderProblem {
  readonly line: number
  readonly message: string
  readonly hint?: string
}

interface Tag {
  readonly name: string
  readonly line: number
  text: string
}

/** What the comment at the top of a script says about the tool. */
export function parseHeaderComment(text: string): HeaderComment {
  const { prose, tags } = separate(readCommentBlock(text).lines)
  const problems: HeaderProblem[] = []
  const params = new Map<string, Param>()
  for (const tag of tags) {
    if (tag.name !== 'param') continue
    const param = parseParam(tag.text)
    if ('message' in param) problems.push({ line: tag.line, ...param })
    else if (params.has(param.name)) {
      problems.push({ line: tag.line, message: `\`${param.name}\` is declared twice` })
    } else params.set(param.name, param)
  }
  const description = shorten(flow([...prose, ...tags.filter(isDescription).flatMap(asParagraph)]))
  const title = tags.find((tag) => tag.name === 'title')?.text
  return {
    ...(title ? { title } : {}),
    ...(description ? { description } : {}),
    ...(params.size > 0 ? { inputSchema: toSchema([...params.values()], problems.length > 0) } : {}),
    problems,
  }
}

/** A tag reaches to the next tag or blank line; everything else is prose. */
function separate(lines: readonly CommentLine[]): { prose: string[]; tags: Tag[] } {
  const prose: string[] = []
  const tags: Tag[] = []
  let open: Tag | undefined
  for (const { text, line } of lines) {
    const found = /^\s*@([A-Za-z][\w-]*)(?:\s+(.*))?$/s.exec(text)
    if (found) {
      open = { name: (found[1] ?? '').toLowerCase(), line, text: found[2]?.trim() ?? '' }
      tags.push(open)
    } else if (text.trim() === '') {
      open = undefined
      prose.push('')
    } else if (open) open.text = `${open.text} ${text.trim()}`.trim()
    else prose.push(text)
  }
  return { prose, tags }
}

function isDescription(tag: Tag): boolean {
  return tag.name === 'description'
}

function asParagraph(tag: Tag): string[] {
  return ['', tag.text]
}

/** Lines flow into paragraphs; list items and indented lines keep their own. */
function flow(lines: readonly string[]): string {
  let result = ''
  let previous = ''
  for (const line of lines) {
    if (line.trim() !== '') {
      const ownLine = /^(?:\s|[-*•+] |\d+[.)] )/.test(line)
      const wasIndented = /^\s/.test(previous)
      if (previous === '') result += result === '' ? '' : '\n\n'
      else result += ownLine || wasIndented ? '\n' : ' '
      result += result === '' ? line.trim() : line
    }
    previous = line.trim() === '' ? '' : line
  }
  return result
}

function shorten(text: string): string {
  if (text.length <= MAX_DESCRIPTION) return text
  const cut = text.slice(0, MAX_DESCRIPTION - 1)
  const blank = Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('\n'))
  // Without a blank to cut at, half of a surrogate pair must not stay behind.
  return `${blank > MAX_DESCRIPTION / 2 ? cut.slice(0, blank).trimEnd() : cut.replace(/[\ud800-\udbff]$/, '')}…`
}

/** With a parameter that could not be read, others than the declared ones must stay possible. */
function toSchema(params: readonly Param[], incomplete: boolean): JsonSchema {
  const required = params.filter((param) => param.required).map((param) => param.name)
  return {
    type: 'object',
    properties: Object.fromEntries(params.map((param) => [param.name, param.schema])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: incomplete,
  }
}
