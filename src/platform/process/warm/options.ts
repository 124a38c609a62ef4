import type { Language } from './language.ts'

/**
 * The options in front of a script that mean the same to a process started ahead. All others are left to a fresh
 * start, also those that a later version of the interpreter may know.
 */
export function understandsOptions(language: Language, options: readonly string[]): boolean {
  return language === 'python' ? understandsPython(options) : options.every((option) => NODE.test(option))
}

function understandsPython(options: readonly string[]): boolean {
  for (let i = 0; i < options.length; i++) {
    const option = options[i] ?? ''
    const [, kind, joined] = /^-([WX])(.*)$/.exec(option) ?? []
    if (kind === undefined) {
      if (!/^-[uBIsEOPb]+$/.test(option)) return false
      continue
    }
    const value = joined === '' ? options[++i] : joined
    if (value === undefined || !(kind === 'W' ? isPlainFilter(value) : PYTHON_X.test(value))) return false
  }
  return true
}

/** A filter with a dot names a module that Python would look for in its folder. */
export function isPlainFilter(filter: string): boolean {
  return !filter.includes('.')
}

const PYTHON_X = /^(utf8(=[01])?|faulthandler|no_debug_ranges|warn_default_encoding|int_max_str_digits=\d+)$/

const NODE = new RegExp(
  `^--(${[
    'no-warnings',
    '(no-|throw-|trace-|pending-)deprecation',
    'trace-(warnings|uncaught)',
    'disable-warning=[A-Za-z0-9]+',
    'unhandled-rejections=[a-z-]+',
    'max-(old|semi)-space-size=\\d+',
    'stack-(size|trace-limit)=\\d+',
    'enable-source-maps',
    'expose-gc',
    'dns-result-order=[a-z0-9]+',
    '(no-)?experimental-(fetch|websocket|global-webcrypto|global-customevent|sqlite|eventsource|repl-await|vm-modules|wasm-modules|import-meta-resolve|strip-types|transform-types|require-module|detect-module)',
  ].join('|')})$`,
)
