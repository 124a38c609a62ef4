/** Reads a policy as macOS does, for tests: the last rule that fits an operation decides, and by default nothing may be. */
export interface ReadPolicy {
  readonly rules: readonly PolicyRule[]
  decide(operation: string, path: string): 'allow' | 'deny'
}

export interface PolicyRule {
  readonly verdict: 'allow' | 'deny'
  readonly operations: readonly string[]
  readonly filters: readonly Form[]
}

/** A word, a string, or a list of them. */
export type Form = string | { readonly text: string } | readonly Form[]

export function readPolicy(policy: string): ReadPolicy {
  const forms = readForms(policy)
  const rules = forms.flatMap((form): PolicyRule[] => {
    if (!Array.isArray(form)) throw new Error('every form of a policy is a list')
    const [verdict, ...rest] = form as readonly Form[]
    if (verdict === 'version' || verdict === 'if') return []
    if (verdict !== 'allow' && verdict !== 'deny') throw new Error(`no rule: ${JSON.stringify(form)}`)
    const operations = rest.filter((word): word is string => typeof word === 'string')
    return [{ verdict, operations, filters: rest.filter((word) => typeof word !== 'string') }]
  })
  return {
    rules,
    decide(operation, path) {
      let decided: 'allow' | 'deny' = 'deny'
      for (const { verdict, operations, filters } of rules) {
        const isMeant = operations.some((name) => name === 'default' || covers(name, operation))
        if (isMeant && (filters.length === 0 || filters.some((filter) => fits(filter, path))))
          decided = verdict
      }
      return decided
    },
  }
}

function covers(name: string, operation: string): boolean {
  return name === operation || (name.endsWith('*') && operation.startsWith(name.slice(0, -1)))
}

function fits(filter: Form, path: string): boolean {
  if (!Array.isArray(filter)) return false
  const [kind, value] = filter as readonly Form[]
  if (kind === 'remote' || kind === 'local') {
    const [, inner] = value === 'unix-socket' ? [value, (filter as readonly Form[])[2]] : []
    return inner !== undefined && fits(inner, path)
  }
  if (typeof value !== 'object' || !('text' in value)) return false
  const { text } = value
  if (kind === 'literal' || kind === 'path-literal') return path === text
  return kind === 'subpath' && (text === '/' || path === text || path.startsWith(`${text}/`))
}

/** Scheme, as far as policies use it. Throws where a string or a list is not closed. */
export function readForms(text: string): readonly Form[] {
  let at = 0
  const blank = () => {
    while (at < text.length && /\s/.test(text[at] ?? '')) at++
  }
  function list(isInner: boolean): readonly Form[] {
    const forms: Form[] = []
    for (;;) {
      blank()
      if (at >= text.length) {
        if (isInner) throw new Error('a list is not closed')
        return forms
      }
      if (text[at] === ')') {
        if (!isInner) throw new Error('a list is closed twice')
        at++
        return forms
      }
      forms.push(one())
    }
  }
  function one(): Form {
    const first = text[at]
    if (first === '(') {
      at++
      return list(true)
    }
    if (first === '"') return string()
    const begin = at
    while (at < text.length && !/[\s()"]/.test(text[at] ?? '')) at++
    return text.slice(begin, at)
  }
  function string(): Form {
    let value = ''
    for (at++; at < text.length; at++) {
      if (text[at] === '"') {
        at++
        return { text: value }
      }
      if (text[at] === '\\') at++
      value += text[at] ?? ''
    }
    throw new Error('a string is not closed')
  }
  return list(false)
}
