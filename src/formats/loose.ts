import { type Command, isToolName, oneLine, type Problem, type Run, type Tool } from '../model/index.ts'
import { readCommentBlock } from './comment-block.ts'
import { parseHeaderComment } from './header-comment.ts'
import { parseShebang, type Shebang } from './shebang.ts'
import type { Sidecar } from './sidecar.ts'

/** An executable as it was found. `head` is its beginning, at least as far as `headEnd` says. */
export interface LooseFile {
  readonly path: string
  /** Its path below the tools folder. */
  readonly relative: string
  readonly head: string
  readonly mode: number
  readonly mtimeMs: number
  readonly size: number
}

export interface Loose {
  /** Absent when the file cannot be served; a problem says why. */
  readonly tool?: Tool
  readonly problems: readonly Problem[]
}

/** The tool that an executable is. What its sidecar says wins over its comment. */
export function readLoose(file: LooseFile, sidecar: Sidecar | null, cwd: string): Loose {
  const name = toolNameOf(file.path)
  if (!isToolName(name)) {
    return refuse(file, `${JSON.stringify(oneLine(name))} cannot be the name of a tool`, {
      hint: 'rename the file to 1 to 128 letters, digits, _, . and -',
    })
  }
  const shebang = readShebang(file)
  if (shebang !== null && 'problems' in shebang) return shebang
  const header = parseHeaderComment(file.head)
  const tool: Building<Tool> = {
    name,
    version: '0.0.0',
    description: sidecar?.description?.trim() ?? header.description ?? `Runs ${oneLine(file.relative)}`,
    origin: { kind: 'loose', file: file.path },
    run: toRun(file, shebang, sidecar, cwd),
    digest: digestOf(file, sidecar, cwd),
  }
  if (header.title !== undefined) tool.title = header.title
  if (header.inputSchema !== undefined) tool.inputSchema = header.inputSchema
  if (sidecar?.mcp) present(tool, sidecar.mcp)
  if (header.problems.length === 0 || sidecar?.mcp?.input_schema) return { tool, problems: [] }
  return { tool, problems: header.problems.map((problem) => ({ file: file.path, ...problem })) }
}

// Written field by field: ten thousand tools are built at start, and spreading costs more than parsing.
type Building<T> = { -readonly [K in keyof T]: T[K] }

function present(tool: Building<Tool>, mcp: NonNullable<Sidecar['mcp']>): void {
  if (mcp.title !== undefined) tool.title = mcp.title
  if (mcp.input_schema !== undefined) tool.inputSchema = mcp.input_schema
  if (mcp.output_schema !== undefined) tool.outputSchema = mcp.output_schema
  if (mcp.annotations !== undefined) tool.annotations = { ...mcp.annotations }
  if (mcp.icons !== undefined) tool.icons = mcp.icons
  if (mcp._meta !== undefined) tool.meta = mcp._meta
}

/** The file name without its last extension (RFC 1, 4.2). */
export function toolNameOf(path: string): string {
  const base = path.slice(path.lastIndexOf('/') + 1)
  const dot = base.lastIndexOf('.')
  return dot > 0 ? base.slice(0, dot) : base
}

/**
 * How much of a file's beginning `readLoose` needs; all of the text when more may follow.
 * Works on UTF-8 read byte by byte too, where every character is one byte.
 */
export function headEnd(text: string): number {
  if (BYTE_ORDER_MARK.test(text)) return text.indexOf('\n') + 1 || text.length
  if (!text.startsWith('#!')) return Math.min(text.length, BINARY_BYTES)
  return readCommentBlock(text).end
}

/** Enough of a file without #! line to tell whether it is a binary. */
const BINARY_BYTES = 256

const BYTE_ORDER_MARK = /^(?:\ufeff|\xef\xbb\xbf)#!/

function readShebang(file: LooseFile): Shebang | Loose | null {
  const newline = file.head.indexOf('\n')
  const firstLine = newline < 0 ? file.head : file.head.slice(0, newline)
  if (BYTE_ORDER_MARK.test(firstLine)) {
    return refuse(file, 'has an invisible byte order mark before its #! line', {
      hint: 'save it as UTF-8 without BOM',
      line: 1,
    })
  }
  if (!firstLine.startsWith('#!')) return isBinary(file.head) ? null : withoutInterpreter(file)
  const shebang = parseShebang(firstLine)
  if (shebang === null) {
    return refuse(file, 'has a #! line that names no interpreter', {
      hint: 'for example #!/usr/bin/env python3',
      line: 1,
    })
  }
  if (shebang.windowsLineEnding) {
    return refuse(file, 'has Windows line endings, so its #! line names no program that exists', {
      hint: 'convert it to Unix line endings, for example with dos2unix',
      line: 1,
    })
  }
  return shebang
}

/** Programs for a processor begin with bytes that no text has. */
function isBinary(head: string): boolean {
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]/.test(head.slice(0, BINARY_BYTES))
}

/** The system would refuse it, and some helpers then run it as a shell script whatever it is. */
function withoutInterpreter(file: LooseFile): Loose {
  return refuse(file, file.size === 0 ? 'is empty' : 'is no binary and has no #! line', {
    hint: 'begin it with the interpreter, for example #!/usr/bin/env python3',
    line: 1,
  })
}

function toRun(file: LooseFile, shebang: Shebang | null, sidecar: Sidecar | null, cwd: string): Run {
  const { env, args = [], timeout } = sidecar?.runtime ?? {}
  const command: Building<Command> = {
    file: shebang?.interpreter ?? file.path,
    args: shebang ? [...shebang.args, file.path, ...args] : args,
    cwd,
    script: file.path,
  }
  if (env !== undefined) command.env = env
  return timeout === undefined ? { kind: 'spawn', command } : { kind: 'spawn', command, timeoutMs: timeout }
}

function digestOf(file: LooseFile, sidecar: Sidecar | null, cwd: string): string {
  const said = sidecar === null ? '' : JSON.stringify(sidecar)
  return fingerprint(
    `${file.path}\0${file.mtimeMs}\0${file.size}\0${file.mode}\0${cwd}\0${file.head}\0${said}`,
  )
}

function refuse(file: LooseFile, message: string, more: { hint: string; line?: number }): Loose {
  return { problems: [{ file: file.path, message, ...more }] }
}

/** Two FNV-1a lanes. It tells changed from unchanged; nothing has to resist an attacker here. */
function fingerprint(text: string): string {
  let a = 0x811c9dc5
  let b = 0xc9dc5811
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b)
  }
  return `${a >>> 0}-${b >>> 0}`
}
