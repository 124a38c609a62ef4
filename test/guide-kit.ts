import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findCommand } from '../src/cli/find-command.ts'
import { helpForGroup } from '../src/cli/help.ts'
import { parseWords } from '../src/cli/parse.ts'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Pages in which people read commands and settings. The reference is generated and needs no look. */
export const PAGES: readonly string[] = [
  'README.md',
  'SECURITY.md',
  'docs/errors.md',
  'docs/lexicon.md',
  ...readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`),
  ...readdirSync(join(ROOT, 'examples'))
    .map((name) => `examples/${name}/README.md`)
    .filter((page) => readdirSync(join(ROOT, dirname(page))).includes('README.md')),
]

export interface Block {
  readonly language: string
  readonly text: string
}

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}

export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }))
}

/** Lines a reader types: all of `sh`, those behind `$` of `console`. A block that begins with `#!` is a file. */
export function typedLines({ language, text }: Block): string[] {
  if (language === 'console') return [...text.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => line)
  if (language !== 'sh' || text.startsWith('#!')) return []
  const withoutFiles = text.replace(/^(.*<<'(\w+)')\n[\s\S]*?^\2$/gm, '$1')
  return withoutFiles.split('\n').filter((line) => line.trim() !== '')
}

/** Code inside of sentences that begins as a command does. */
export function spansOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/`((?:orla|mcp|mcpkg) [^`]+)`/g)].map(([, span = '']) => span)
}

/** What the table of commands has against a line; undefined where it has nothing. A mention may leave words out. */
export function complaint(line: string, kind: 'typed' | 'mentioned'): string | undefined {
  for (const words of commandsIn(line)) {
    const [program = '', ...behindProgram] = words
    if (!['orla', 'mcp', 'mcpkg'].includes(program)) continue
    try {
      // As the program itself reads them: bare words serve, and `orla tool install` is `orla install`.
      const rest = behindProgram[0] === 'tool' ? behindProgram.slice(1) : behindProgram
      const given = rest[0] === undefined || rest[0].startsWith('-') ? ['serve', ...rest] : rest
      if (kind === 'mentioned' && given.length === 1 && helpForGroup(given[0] ?? '') !== undefined) continue
      const { command, rest: behind } = findCommand(given)
      parseWords(command, kind === 'mentioned' ? ['--help', ...behind, 'VALUE'] : behind)
    } catch (error) {
      return `${line}: ${String(error)}`
    }
  }
  return undefined
}

const WORD = /'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"|;&<>]+)/y
const SPACE = /[^\S\n]+/y
const BREAK = /[|;&]+|[<>]+[^\S\n]*(?:&\d|\S+)?/y

/** The words of each command in a line, as a shell splits it, without variables before and files behind it. */
export function commandsIn(line: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(line)
    if (found) at = pattern.lastIndex
    return found
  }
  while (at < line.length && !/^(?:^|\s)#/.test(line.slice(Math.max(0, at - 1), at + 1))) {
    if (take(SPACE)) continue
    let word: string | undefined
    for (let part = take(WORD); part; part = take(WORD)) word = (word ?? '') + (part[1] ?? part[2] ?? part[3])
    if (word !== undefined) {
      if (words.length > 0 || !/^\w+=/.test(word)) words.push(word)
    } else if (take(BREAK)) {
      if (/[|;&]/.test(line.charAt(at - 1))) {
        commands.push(words)
        words = []
      }
    } else {
      throw new Error(`a quote is left open: ${line}`)
    }
  }
  return [...commands, words].filter((one) => one.length > 0)
}
