import type { Flaw } from '../shape.ts'

export type SplitCommand = { readonly words: readonly string[] } | { readonly problem: Flaw }

/** What a shell would act on outside quotes. */
const SHELL = /[|&;<>()$`*?[\]{}\n]/
/** What it would still act on inside double quotes. */
const DOUBLE = /[$`]/

/**
 * The words of a command, by the quoting rules of a shell, but no shell ever sees it. What only a shell could
 * carry out (pipes, variables, patterns) is refused, because taking it literally would run something the
 * author did not mean; in single quotes everything is literal.
 */
export function splitCommand(text: string): SplitCommand {
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(text)) return wrong('has control characters in it')
  const words: string[] = []
  let word: string | undefined
  let rest = text.trim()
  while (rest !== '') {
    const char = rest[0] ?? ''
    if (/[ \t]/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
      rest = rest.replace(/^[ \t]+/, '')
      continue
    }
    const piece = char === "'" ? single(rest) : char === '"' ? double(rest) : plain(rest, word === undefined)
    if ('problem' in piece) return piece
    word = (word ?? '') + piece.text
    rest = rest.slice(piece.length)
  }
  if (word !== undefined) words.push(word)
  const [first] = words
  if (first === undefined || first === '') return wrong('must name a program', 'for example node ./tool.js')
  if (/^[A-Za-z_]\w*=/.test(first)) {
    return wrong(`begins with ${JSON.stringify(first)}, which sets a variable only in a shell`)
  }
  return { words }
}

type Piece = { readonly text: string; readonly length: number } | { readonly problem: Flaw }

function single(rest: string): Piece {
  const end = rest.indexOf("'", 1)
  return end < 0 ? wrong("has a ' that is not closed") : { text: rest.slice(1, end), length: end + 1 }
}

function double(rest: string): Piece {
  let text = ''
  for (let at = 1; at < rest.length; at++) {
    const char = rest[at] ?? ''
    const next = rest[at + 1] ?? ''
    if (char === '"') return { text, length: at + 1 }
    if (DOUBLE.test(char)) return forShell(char)
    if (char === '\\' && /["\\$`]/.test(next)) {
      text += next
      at++
    } else text += char
  }
  return wrong('has a " that is not closed')
}

function plain(rest: string, isStart: boolean): Piece {
  const char = rest[0] ?? ''
  if (char === '\\') return escaped(rest)
  if (SHELL.test(char) || (isStart && (char === '~' || char === '#'))) return forShell(char)
  return { text: char, length: 1 }
}

function escaped(rest: string): Piece {
  const next = rest[1] ?? ''
  if (/[\s'"\\~#]/.test(next) || SHELL.test(next)) return { text: next, length: 2 }
  return wrong('has a \\ before a character that needs none', 'write / between folders, on every system')
}

function forShell(char: string): { readonly problem: Flaw } {
  const shown = char === '\n' ? 'a line break' : char
  return wrong(
    `has ${shown} in it, which only a shell could carry out`,
    "Orla starts the program without one; put the word in '…' if it is meant as it stands",
  )
}

function wrong(message: string, hint?: string): { readonly problem: Flaw } {
  return { problem: hint === undefined ? { message } : { message, hint } }
}
