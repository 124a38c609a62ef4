import { styleText } from 'node:util'
import type { Outlet } from '../app/index.ts'
import { escapeControls, harmlessJson, OrlaError, oneLine } from '../model/index.ts'

type Style = Parameters<typeof styleText>[0]

/** The only one that writes to the terminal: data to stdout, everything else to stderr. */
export interface Printer {
  /** Data, as text. Control sequences are shown, not obeyed, when a person reads. */
  data(text: string): void
  /** Data, byte for byte, except on a terminal. */
  raw(bytes: Uint8Array | string): void
  json(value: unknown): void
  /** Rows in columns; the last column may be cut to fit a terminal. */
  table(rows: readonly (readonly string[])[], head?: readonly string[]): void
  note(text: string): void
  rawNote(bytes: Uint8Array | string): void
  error(error: unknown): void
  paint(style: Style, text: string): string
  readonly interactive: boolean
}

export interface PrinterStreams {
  readonly stdout: Outlet
  readonly stderr: Outlet
  readonly colours: { readonly stdout: boolean; readonly stderr: boolean }
}

export function createPrinter({ stdout, stderr, colours }: PrinterStreams): Printer {
  const styled = (on: boolean) => (style: Style, text: string) =>
    on ? styleText(style, text, { validateStream: false }) : text
  const out = styled(colours.stdout)
  const err = styled(colours.stderr)
  return {
    interactive: stdout.isTTY === true,
    paint: out,
    data: (text) => void stdout.write(`${text}\n`),
    raw: (bytes) => void stdout.write(stdout.isTTY ? shown(bytes) : bytes),
    json: (value) => void stdout.write(`${harmlessJson(JSON.stringify(value, null, 2))}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    rawNote: (bytes) => void stderr.write(stderr.isTTY ? shown(bytes) : bytes),
    table(rows, head) {
      const lines = layOut(head ? [head, ...rows] : rows, widthOfTerminal(stdout))
      const [first] = lines
      if (first === undefined) return
      if (head) lines[0] = out('dim', first)
      stdout.write(`${lines.join('\n')}\n`)
    },
    error(error) {
      if (error instanceof OrlaError) {
        const [first, ...rest] = error.message.split('\n')
        stderr.write(
          `${err('red', 'error:')} ${[escapeControls(first ?? ''), ...rest.map(escapeControls)].join('\n       ')}\n`,
        )
        if (error.hint !== undefined) stderr.write(`${err('cyan', ' hint:')} ${escapeControls(error.hint)}\n`)
        return
      }
      const shown = error instanceof Error ? (error.stack ?? error.message) : String(error)
      stderr.write(`${err('red', 'bug:')} ${escapeControls(shown)}\n`)
    },
  }
}

function shown(bytes: Uint8Array | string): string {
  return escapeControls(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8'))
}

/** Undefined where nothing has to fit: no terminal, or one that does not know its size and says 0. */
function widthOfTerminal(stream: Outlet): number | undefined {
  return (stream.isTTY && stream.columns) || undefined
}

// Ten thousand tools are fifty thousand cells, nearly all of them plain, which are as wide as they are long.
function layOut(rows: readonly (readonly string[])[], width: number | undefined): string[] {
  const widths: number[] = []
  const measured = rows.map((row) => {
    const isSimple = row.every(isPlain)
    const cells = isSimple ? row : row.map(oneLine)
    for (let at = 0; at < cells.length; at++) {
      const columns = isSimple ? (cells[at]?.length ?? 0) : widthOf(cells[at] ?? '')
      if (columns > (widths[at] ?? 0)) widths[at] = columns
    }
    return { cells, isSimple }
  })
  return measured.map(({ cells, isSimple }) => {
    let line = cells[0] ?? ''
    for (let at = 1; at < cells.length; at++) {
      const before = cells[at - 1] ?? ''
      const columns = isSimple ? before.length : widthOf(before)
      line += padding((widths[at - 1] ?? 0) - columns + GAP) + (cells[at] ?? '')
    }
    const last = line.charCodeAt(line.length - 1)
    if (!(last > 0x20 && last < 0x7f)) line = line.trimEnd()
    return width !== undefined && widthOf(line) > width ? `${cut(line, width - 1)}…` : line
  })
}

const GAP = 2
const paddings: string[] = []

function padding(length: number): string {
  paddings[length] ??= ' '.repeat(length)
  return paddings[length]
}

/** Nothing to escape, and as wide as it is long. */
function isPlain(text: string): boolean {
  // For short ones a loop is quicker than an expression; for longer ones V8 would compile it first.
  if (text.length > SHORT) return PLAIN.test(text)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e) return false
  }
  return true
}

const SHORT = 16
const PLAIN = /^[\x20-\x7e]*$/

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u

/** Terminal columns: East Asian and emoji characters take two, combining marks none. */
function widthOf(text: string): number {
  if (isPlain(text)) return text.length
  let width = 0
  for (const char of text) width += /\p{Mark}/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1
  return width
}

function cut(text: string, width: number): string {
  let kept = ''
  for (const char of text) {
    if (widthOf(kept + char) > width) break
    kept += char
  }
  return kept
}
