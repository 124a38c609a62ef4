import type { CommentLine } from './comment-block.ts'

// Written for editors, linters and loaders.
const DIRECTIVE = new RegExp(
  [
    '-\\*-.*-\\*-',
    '^(?:vim?|ex): *(?:set? |[a-z]+=)',
    '^(?:en)?coding[:=] *\\S+$',
    '^shellcheck \\S+=',
    '^(?:eslint|prettier|biome|oxlint|deno-lint)-\\w',
    '^(?:rubocop|pylint|pyright|mypy|flake8|ruff|isort|fmt|type): *(?:noqa|disable|enable|skip|ignore|off|on|strict|basic|todo)',
    '^noqa\\b',
    '^frozen_string_literal:',
    '^! -',
  ].join('|'),
  'i',
)
const NOTICE = /^(?:SPDX-|copyright\b.*(?:\(c\)|©|\d{4}|authors|inc\b|ltd\b)|\(c\) |©|licen[cs]e:)/i
// Apart from the others, which can be decided at the first letter.
const RESERVED = /\ball rights reserved\b/i
// What every directive has.
const DIRECTIVE_MARK = /[-:=]|^noqa/i
const RULER = /^[^\p{L}\p{N}@]+$/u

// How the paragraphs of the usual licences begin.
const LICENCE = new RegExp(
  `^(?:${[
    'licensed (?:under|to)\\b',
    'permission (?:is hereby granted|to use, copy)',
    'this (?:program|file|script|software|library|code) is (?:free software|part of|licensed|distributed|released)',
    'this source code (?:form )?is (?:licensed|subject)',
    'use of this source code is',
    'redistributions? (?:and use|of|in)\\b',
    '\\d\\. redistributions',
    'neither the name',
    'unless required by applicable law',
    'you (?:may not use this file|may obtain a copy|should have received)',
    'the (?:above copyright|software is provided)',
    'this software is provided',
    'see the (?:file )?licen[cs]e',
    'https?:\\S*licen[cs]e',
  ].join('|')})`,
  'i',
)

/** Leaves what tells a reader about the tool. Rulers become blank lines; nothing useful gives an empty list. */
export function withoutNoise(lines: readonly CommentLine[]): CommentLine[] {
  const kept: CommentLine[] = []
  let inScriptMetadata = false
  let inLicence = false
  for (const { text, line } of lines) {
    const words = text.trim()
    // Inline script metadata stands between `/// script` and `///`.
    if (inScriptMetadata || words === '/// script') {
      inScriptMetadata = words !== '///'
      continue
    }
    if (isDirective(words) || NOTICE.test(words) || RESERVED.test(words)) continue
    const blank = words === '' || RULER.test(words)
    const startsParagraph = (kept.at(-1)?.text ?? '') === '' && !inLicence
    if (blank) inLicence = false
    else if (startsParagraph) inLicence = LICENCE.test(words)
    if (blank) {
      if (kept.length > 0) kept.push({ text: '', line })
    } else if (!inLicence) kept.push({ text, line })
  }
  while (kept.at(-1)?.text === '') kept.pop()
  return kept
}

function isDirective(words: string): boolean {
  return DIRECTIVE_MARK.test(words) && DIRECTIVE.test(words)
}
