import type { JsonSchema } from '../model/index.ts'
import { type CommentLine, readCommentBlock } from './comment-block.ts'
import { type Param, parseParam } from './param-line.ts'

const MAX_DESCRIPTION = 4_000

export interface HeaderComment {
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** Absent when the comment declares no parameter. */
  readonly inputSchema?: JsonSchema | undefined
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
  return parseHeaderLines(readCommentBlock(text).lines)
}

export function parseHeaderLines(lines: readonly CommentLine[]): HeaderComment {
  const { prose, tags } = separate(lines)
  const problems: HeaderProblem[] = []
  const params = new Map<string, Param>()
  const header: { -readonly [K in keyof HeaderComment]: HeaderComment[K] } = { problems }
  for (const tag of tags) {
    if (tag.name === 'param') addParam(params, tag, problems)
    else if (tag.name === 'title' && header.title === undefined) header.title = tag.text
    else if (tag.name === 'description') prose.push('', tag.text)
  }
  // An empty title is none, and keeps another one from being it.
  if (header.title === '') delete header.title
  const description = shorten(flow(prose))
  if (description !== '') header.description = description
  if (params.size > 0) header.inputSchema = toSchema(params, problems.length > 0)
  return header
}

function addParam(params: Map<string, Param>, { text, line }: Tag, problems: HeaderProblem[]): void {
  const param = parseParam(text)
  if ('message' in param) problems.push({ line, ...param })
  else if (params.has(param.name)) problems.push({ line, message: `\`${param.name}\` is declared twice` })
  else params.set(param.name, param)
}

const TAG = /^@([A-Za-z][\w-]*)(?:\s+(.*))?$/s

/** A tag reaches to the next tag or blank line; everything else is prose. */
function separate(lines: readonly CommentLine[]): { prose: string[]; tags: Tag[] } {
  const prose: string[] = []
  const tags: Tag[] = []
  let open: Tag | undefined
  for (const { text, line } of lines) {
    const words = text.trim()
    const found = words.startsWith('@') ? TAG.exec(words) : null
    if (found) {
      open = { name: (found[1] ?? '').toLowerCase(), line, text: found[2] ?? '' }
      tags.push(open)
    } else if (words === '') {
      open = undefined
      prose.push('')
    } else if (open) open.text = open.text === '' ? words : `${open.text} ${words}`
    else prose.push(text)
  }
  return { prose, tags }
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
function toSchema(params: ReadonlyMap<string, Param>, incomplete: boolean): JsonSchema {
  const required: string[] = []
  const schemas: [string, JsonSchema][] = []
  for (const [name, param] of params) {
    schemas.push([name, param.schema])
    if (param.required) required.push(name)
  }
  // Not by assignment: a parameter may be called __proto__.
  const properties = Object.fromEntries(schemas)
  return required.length > 0
    ? { type: 'object', properties, required, additionalProperties: incomplete }
    : { type: 'object', properties, additionalProperties: incomplete }
}
