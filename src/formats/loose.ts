import {
  findHidden,
  isToolName,
  oneLine,
  type Problem,
  showHidden,
  type Tool,
  type WrittenFace,
} from '../model/index.ts'
import { type CommentLine, readCommentBlock } from './comment-block.ts'
import { fingerprint } from './fingerprint.ts'
import { type HeaderComment, parseHeaderLines } from './header-comment.ts'
import { hiddenMessage } from './hidden-problems.ts'
import { LooseTool } from './loose-tool.ts'
import { parseShebang } from './shebang.ts'
import type { Sidecar } from './sidecar.ts'

/** An executable as it was found. */
export interface LooseFile {
  readonly path: string
  /** Its path below the tools folder. */
  readonly relative: string
  readonly mode: number
  readonly mtimeMs: number
  readonly size: number
}

/** What the beginning of an executable says, whatever it is called and wherever it lies. */
export interface Opening {
  /** Tells a changed beginning from an unchanged one. */
  readonly print: string
  /** Why it cannot be served; the rest says nothing then. */
  readonly refusal?: Refusal | undefined
  /** The interpreter and its options; null for a binary. */
  readonly interpreter: readonly string[] | null
  readonly header: HeaderComment
  /** What the header tells clients, where someone kept it so. */
  readonly written?: WrittenFace
}

export type Refusal = Omit<Problem, 'file'>

export interface Loose {
  /** Absent when the file cannot be served; a problem says why. */
  readonly tool?: Tool
  readonly problems: readonly Problem[]
}

/** What a file begins with. Undefined when it goes on and the comment at its top may, too. */
export function readOpening(text: string, goesOn: boolean): Opening | undefined {
  if (!text.startsWith('#!')) return readBinary(text.slice(0, BINARY_LENGTH))
  const block = readCommentBlock(text)
  if (goesOn && block.end >= text.length) return undefined
  const print = fingerprint(text.slice(0, block.end))
  const interpreter = readInterpreter(text)
  if ('message' in interpreter) return { print, refusal: interpreter, interpreter: null, header: SILENT }
  return { print, interpreter, header: readHeader(block.lines) }
}

/** What a comment hides is shown to models as it is to people: by its number. */
function readHeader(lines: readonly CommentLine[]): HeaderComment {
  const hiding = lines.find(({ text }) => findHidden(text) !== undefined)
  const hidden = hiding && findHidden(hiding.text)
  if (!hidden) return parseHeaderLines(lines)
  const header = parseHeaderLines(lines.map((line) => ({ ...line, text: showHidden(line.text) })))
  const problem = {
    line: hiding.line,
    message: `its comment ${hiddenMessage(hidden)}; clients see it written out`,
    hint: 'take it out, or write what is meant',
  }
  return { ...header, problems: [problem, ...header.problems] }
}

/** Enough of a file without #! line to tell whether it is a binary. */
const BINARY_LENGTH = 256

const BYTE_ORDER_MARK = '\ufeff#!'

function readBinary(head: string): Opening {
  const refusal = head.startsWith(BYTE_ORDER_MARK) || !isBinary(head) ? withoutInterpreter(head) : undefined
  return { print: fingerprint(head), interpreter: null, header: SILENT, ...(refusal && { refusal }) }
}

const SILENT: HeaderComment = { problems: [] }

/** The tool that an executable is. What its sidecar says wins over its comment. */
export function looseTool(file: LooseFile, opening: Opening, sidecar: Sidecar | null, cwd: string): Loose {
  const name = toolNameOf(file.relative)
  if (!isToolName(name)) {
    const message = `${JSON.stringify(oneLine(name))} cannot be the name of a tool`
    return refuse(file, { message, hint: 'rename the file to 1 to 128 letters, digits, _, . and -' })
  }
  const { refusal, header } = opening
  if (refusal !== undefined) return refuse(file, refusal)
  const own = new LooseTool(name, file, opening, cwd)
  const tool = sidecar === null ? own : own.describedBy(sidecar)
  if (header.problems.length === 0 || sidecar?.mcp?.input_schema) return { tool, problems: NONE }
  return { tool, problems: header.problems.map((problem) => ({ file: file.path, ...problem })) }
}

const NONE: readonly Problem[] = []

/** The file name without its last extension (RFC 1, 4.2). */
export function toolNameOf(path: string): string {
  const base = path.slice(path.lastIndexOf('/') + 1)
  const dot = base.lastIndexOf('.')
  return dot > 0 ? base.slice(0, dot) : base
}

function readInterpreter(text: string): readonly string[] | Refusal {
  const newline = text.indexOf('\n')
  const shebang = parseShebang(newline < 0 ? text : text.slice(0, newline))
  if (shebang === null) {
    const message = 'has a #! line that names no interpreter'
    return { message, hint: 'for example #!/usr/bin/env python3', line: 1 }
  }
  if (shebang.windowsLineEnding) {
    const message = 'has Windows line endings, so its #! line names no program that exists'
    return { message, hint: 'convert it to Unix line endings, for example with dos2unix', line: 1 }
  }
  return [shebang.interpreter, ...shebang.args]
}

/** Programs for a processor begin with bytes that no text has. */
function isBinary(head: string): boolean {
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]/.test(head)
}

/** The system would refuse it, and some helpers then run it as a shell script whatever it is. */
function withoutInterpreter(head: string): Refusal {
  if (head.startsWith(BYTE_ORDER_MARK)) {
    const message = 'has an invisible byte order mark before its #! line'
    return { message, hint: 'save it as UTF-8 without BOM', line: 1 }
  }
  const message = head === '' ? 'is empty' : 'is no binary and has no #! line'
  return { message, hint: 'begin it with the interpreter, for example #!/usr/bin/env python3', line: 1 }
}

function refuse(file: LooseFile, refusal: Refusal): Loose {
  return { problems: [{ file: file.path, ...refusal }] }
}
