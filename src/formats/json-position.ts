/** The index of the first character that makes a text no JSON; its length when it ends too early. */
export function findJsonError(text: string): number | undefined {
  const open: ('{' | '[')[] = []
  let expects: 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'next' = 'value'
  for (let at = skipSpace(text, 0); ; at = skipSpace(text, at)) {
    const char = text[at]
    const inside = open.at(-1)
    if (char === undefined) return expects === 'next' && inside === undefined ? undefined : at
    if (expects === ':') {
      if (char !== ':') return at
      expects = 'value'
      at++
    } else if (expects === 'next') {
      if (char === ',' && inside !== undefined) expects = inside === '{' ? 'key' : 'value'
      else if ((char === '}' && inside === '{') || (char === ']' && inside === '[')) open.pop()
      else return at
      at++
    } else if ((char === '}' && expects === 'key or }') || (char === ']' && expects === 'value or ]')) {
      open.pop()
      expects = 'next'
      at++
    } else if (expects === 'key' || expects === 'key or }') {
      if (char !== '"') return at
      const end = endOfString(text, at)
      if (end.wrong) return end.at
      expects = ':'
      at = end.at
    } else if (char === '{' || char === '[') {
      open.push(char)
      expects = char === '{' ? 'key or }' : 'value or ]'
      at++
    } else {
      const end = char === '"' ? endOfString(text, at) : endOfWord(text, at)
      if (end.wrong) return end.at
      expects = 'next'
      at = end.at
    }
  }
}

interface End {
  readonly at: number
  readonly wrong: boolean
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (' \t\n\r'.includes(text[at] ?? 'x')) at++
  return at
}

function endOfString(text: string, from: number): End {
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '"') return { at: at + 1, wrong: false }
    if (char < ' ') return { at, wrong: true }
    if (char !== '\\') continue
    at++
    if (text[at] !== 'u') {
      if (!'"\\/bfnrt'.includes(text[at] ?? 'x')) return { at, wrong: true }
      continue
    }
    for (const end = at + 4; at < end; ) {
      at++
      if (!/^[0-9a-fA-F]$/.test(text[at] ?? '')) return { at, wrong: true }
    }
  }
  return { at: text.length, wrong: true }
}

/** A number, or one of the three literals. */
function endOfWord(text: string, from: number): End {
  for (const word of ['true', 'false', 'null']) {
    if (text[from] !== word[0]) continue
    let at = from
    while (at - from < word.length && text[at] === word[at - from]) at++
    return { at, wrong: at - from < word.length }
  }
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  number.lastIndex = from
  const length = number.exec(text)?.[0].length ?? 0
  return { at: from + length, wrong: length === 0 }
}
