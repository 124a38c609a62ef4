import type { Flaw } from '../shape.ts'

const MAX_PATTERN = 1000
/** Instructions of a pattern times characters it is held against: about a second at the worst. */
const MAX_WORK = 50_000_000
const MAX_KEPT = 500

/** Regular expressions that no pattern and no text can slow down. */
export interface Patterns {
  /** Why a text is no pattern; undefined when it is one. */
  check(pattern: string): Flaw | undefined
  /** Whether a pattern is found anywhere in a text. */
  find(pattern: string, text: string): boolean | { readonly problem: Flaw }
}

/** By RE2, whose time grows only with the length of the text. It knows no backreferences and no lookaround. */
export async function loadPatterns(): Promise<Patterns> {
  const { RE2JS } = await import('re2js')
  type Compiled = InstanceType<typeof RE2JS>
  const known = new Map<string, Compiled | Flaw>()

  function compile(pattern: string): Compiled | Flaw {
    const before = known.get(pattern)
    if (before !== undefined) return before
    if (known.size >= MAX_KEPT) known.clear()
    const compiled = compileNow(pattern)
    known.set(pattern, compiled)
    return compiled
  }

  function compileNow(pattern: string): Compiled | Flaw {
    if (pattern.length > MAX_PATTERN) return { message: `is longer than ${MAX_PATTERN} characters` }
    try {
      return RE2JS.compile(RE2JS.translateRegExp(pattern))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const hint = /\(\?[=!<]|\\[1-9k]/.test(pattern)
        ? 'lookaround and references back to groups are not understood, because they can run for hours'
        : undefined
      const message = `is not a regular expression: ${reason}`
      return hint === undefined ? { message } : { message, hint }
    }
  }

  return {
    check(pattern) {
      const compiled = compile(pattern)
      return 'message' in compiled ? compiled : undefined
    },
    find(pattern, text) {
      const compiled = compile(pattern)
      if ('message' in compiled) return { problem: compiled }
      if (compiled.programSize() * text.length > MAX_WORK) {
        return { problem: { message: 'takes too long on this value' } }
      }
      return compiled.matcher(text).find()
    },
  }
}
