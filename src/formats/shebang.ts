export interface Shebang {
  /** A path, or a bare name (looked up on PATH) when the line goes through `env`. */
  readonly interpreter: string
  readonly args: readonly string[]
  /** The line ends with CR LF, so the kernel would look for an interpreter whose name ends with CR. */
  readonly windowsLineEnding: boolean
}

/** The interpreter that a file's first line asks for; null when it asks for none. */
export function parseShebang(firstLine: string): Shebang | null {
  if (!firstLine.startsWith('#!') || firstLine.includes('\0')) return null
  const windowsLineEnding = firstLine.endsWith('\r')
  const text = firstLine.slice(2).trim()
  const [interpreter, ...args] = splitOnBlanks(text)
  if (interpreter === undefined) return null
  if (!/(^|\/)env$/.test(interpreter)) return { interpreter, args, windowsLineEnding }
  const command = throughEnv(interpreter, text.slice(interpreter.length).trimStart())
  return command && { ...command, windowsLineEnding }
}

function throughEnv(env: string, rest: string): { interpreter: string; args: string[] } | null {
  const split = /^(?:-S|--split-string(?:=|(?=[ \t])))/.exec(rest)
  const words = split ? splitLikeEnv(rest.slice(split[0].length)) : splitOnBlanks(rest)
  // What only env itself can work out goes to it as the kernel would hand it over: in one piece.
  if (words === null) return { interpreter: env, args: [rest] }
  const [program, ...args] = words
  // env without a program would start the script again, without end.
  if (!program || words.every(isForEnv)) return null
  return isForEnv(program) ? { interpreter: env, args: words } : { interpreter: program, args }
}

function isForEnv(word: string): boolean {
  return word.startsWith('-') || word.includes('=')
}

function splitOnBlanks(text: string): string[] {
  return text.split(/[ \t]+/).filter((word) => word !== '')
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', _: ' ' }

/** Words as `env -S` cuts them; null for what depends on the environment or is not closed. */
function splitLikeEnv(text: string): string[] | null {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (char === '\\') {
      const next = text.charAt(++i)
      if (next === '' || (next === 'c' && quote !== '"')) return null
      if (quote === "'") word = `${word}${next === "'" || next === '\\' ? next : `\\${next}`}`
      else if (next === '_' && quote === '') {
        if (word !== undefined) words.push(word)
        word = undefined
      } else word = (word ?? '') + (ESCAPES[next] ?? next)
    } else if (char === '$' && quote !== "'") return null
    else if (quote !== '') {
      if (char === quote) quote = ''
      else word = (word ?? '') + char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (char === '#' && word === undefined) break
    else if (char === ' ' || char === '\t') {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + char
  }
  if (quote !== '') return null
  if (word !== undefined) words.push(word)
  return words
}
