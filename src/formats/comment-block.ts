import { withoutNoise } from './comment-noise.ts'

/** One line of a comment without its markers. */
export interface CommentLine {
  readonly text: string
  /** Its number in the file, from 1. */
  readonly line: number
}

export interface CommentBlock {
  readonly lines: readonly CommentLine[]
  /** How much of the text was looked at. All of it when the comment may go on behind. */
  readonly end: number
}

// What says nothing about the tool and may stand above its comment.
const PROLOGUE = /^(?:['"]?use (?:strict|warnings)['"]?;?|<\?php|\/\/\/?usr\/bin\/.*)$/
const DELIMITED = /^(?:\/\*+!?|[rRuU]?(?:"""|''')|--\[\[)/
// Sticky, so that where it ends is known without making anything of what it found.
const LINE_MARKER = /(?:#+(?!(?:include|define|ifn?def|if|pragma|import)\b)|\/\/+|--+(?!\[\[)|;+|%+)/y

/** The first comment of a file that says something, below the `#!` line and above any code. */
export function readCommentBlock(text: string): CommentBlock {
  const lines = createLines(text)
  if (text.startsWith('#!')) lines.advance()
  while (!lines.atEnd()) {
    const first = lines.current().trim()
    if (first === '' || PROLOGUE.test(first)) {
      lines.advance()
      continue
    }
    const opener = DELIMITED.exec(first)?.[0]
    const firstNumber = lines.number()
    const block = opener === undefined ? readRun(lines, first.charAt(0)) : readDelimited(lines, opener)
    if (block.length === 0) break
    const useful = withoutNoise(block)
    // Behind an opening mark the first line has no indentation to compare with.
    const flush = opener === undefined ? 0 : firstNumber
    if (useful.length > 0) return { lines: dedent(useful, flush), end: lines.position() }
  }
  return { lines: [], end: lines.position() }
}

/** Lines that carry the same marker, one below the other. */
function readRun(lines: Lines, kind: string): CommentLine[] {
  const run: CommentLine[] = []
  for (; !lines.atEnd(); lines.advance()) {
    const text = lines.current().trim()
    if (!text.startsWith(kind) || text.includes('\0')) break
    LINE_MARKER.lastIndex = 0
    if (!LINE_MARKER.test(text)) break
    run.push({ text: text.slice(LINE_MARKER.lastIndex), line: lines.number() })
  }
  return run
}

/** Everything up to the closing mark, whatever the lines look like. */
function readDelimited(lines: Lines, opener: string): CommentLine[] {
  const closer = opener.startsWith('/') ? '*/' : opener.startsWith('-') ? ']]' : opener.slice(-3)
  const opening = lines.current().trim().slice(opener.length).trimStart()
  const block: CommentLine[] = []
  for (let text = opening; ; text = lines.current()) {
    const content = closer === '*/' && block.length > 0 ? text.replace(/^[ \t]*\*(?!\/)/, '') : text
    const close = content.indexOf(closer)
    block.push({ text: close < 0 ? content : content.slice(0, close), line: lines.number() })
    lines.advance()
    if (close >= 0 || lines.atEnd()) break
  }
  return block
}

function dedent(lines: readonly CommentLine[], flush: number): CommentLine[] {
  let depth = Number.POSITIVE_INFINITY
  for (const { text, line } of lines) {
    const indent = text.search(/\S/)
    if (indent >= 0 && indent < depth && line !== flush) depth = indent
  }
  return lines.map(({ text, line }) => ({
    text: (line === flush ? text : text.slice(depth)).trimEnd(),
    line,
  }))
}

interface Lines {
  atEnd(): boolean
  /** Without its line ending. */
  current(): string
  advance(): void
  number(): number
  /** Where the current line starts. */
  position(): number
}

/** Line by line, so that only the top of a long file is cut into lines. */
function createLines(text: string): Lines {
  let start = 0
  let end = endOf(0)
  let number = 1
  return {
    atEnd: () => start >= text.length,
    current: () => text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end),
    advance() {
      start = Math.min(end + 1, text.length)
      end = endOf(start)
      number++
    },
    number: () => number,
    position: () => start,
  }

  function endOf(from: number): number {
    const newline = text.indexOf('\n', from)
    return newline < 0 ? text.length : newline
  }
}
