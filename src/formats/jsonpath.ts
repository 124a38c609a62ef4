import type { FilterFunction, JSONPathQuery } from 'json-p3'
import type { Json } from '../model/index.ts'
import { type PlainPath, parsePlainPath, selectPlain } from './plain-path.ts'
import type { Flaw } from './shape.ts'

const MAX_PATH = 1000
const MAX_DEPTH = 128
/** Values looked at and characters matched for one path. Paths come from packages and can be made to run for hours. */
const MAX_WORK = 2_000_000
const MAX_KEPT = 500

/** JSONPath of RFC 9535. */
export interface JsonPath {
  /** Why a text is no path; undefined when it is one. */
  check(path: string): Flaw | undefined
  /** The values a path selects. */
  select(path: string, value: Json): { readonly values: readonly Json[] } | { readonly problem: Flaw }
}

/** The only place that knows the library. `match()` and `search()` run on RE2, which no pattern can slow down. */
export async function loadJsonPath(): Promise<JsonPath> {
  const { JSONPathEnvironment, FunctionExpressionType } = await import('json-p3')
  const { RE2JS } = await import('re2js')
  const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH })
  const { ValueType, LogicalType } = FunctionExpressionType
  let work = 0

  environment.functionRegister.set(
    'match',
    regexp((pattern, text) => pattern.matcher(text).matches()),
  )
  environment.functionRegister.set(
    'search',
    regexp((pattern, text) => pattern.matcher(text).find()),
  )

  function regexp(test: (pattern: InstanceType<typeof RE2JS>, text: string) => boolean): FilterFunction {
    const patterns = new Map<string, InstanceType<typeof RE2JS> | null>()
    return {
      argTypes: [ValueType, ValueType],
      returnType: LogicalType,
      call(text: unknown, written: unknown) {
        if (typeof text !== 'string' || typeof written !== 'string') return false
        spend(text.length + written.length)
        const known = patterns.get(written)
        const pattern = known === undefined ? compilePattern(written) : known
        keep(patterns, written, pattern)
        return pattern !== null && test(pattern, text)
      },
    }
  }

  function compilePattern(written: string): InstanceType<typeof RE2JS> | null {
    try {
      return RE2JS.compile(anyCharButNewline(written))
    } catch {
      return null // RFC 9535: what is no pattern matches nothing
    }
  }

  const queries = new Map<string, JSONPathQuery>()
  const plainPaths = new Map<string, PlainPath>()

  function compile(path: string): JSONPathQuery | Flaw {
    if (path.length > MAX_PATH) return { message: `is longer than ${MAX_PATH} characters` }
    const known = queries.get(path)
    if (known) return known
    try {
      const query = environment.compile(path)
      keep(queries, path, query)
      return query
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { message: `is not a JSONPath: ${reason}`, hint: 'for example $.status or $.items[0].name' }
    }
  }

  /** Half of the time of a step would be spent on the way to one value. */
  function plainOf(path: string): PlainPath | undefined {
    const known = plainPaths.get(path)
    if (known !== undefined) return known
    const parsed = path.length > MAX_PATH ? undefined : parsePlainPath(path)
    if (parsed !== undefined) keep(plainPaths, path, parsed)
    return parsed
  }

  function spend(amount: number): void {
    work += amount
    if (work > MAX_WORK) throw new Exhausted()
  }

  return {
    check(path) {
      const query = compile(path)
      return 'message' in query ? query : undefined
    },
    select(path, value) {
      const simple = plainOf(path)
      if (simple !== undefined) return { values: selectPlain(simple, value) }
      const query = compile(path)
      if ('message' in query) return { problem: query }
      work = 0
      const { metered, plain } = createMeter(spend)
      try {
        const nodes = query.query(metered(value) as never) // Json and the library's own type are the same values
        return { values: nodes.values().map((found) => plain(found)) }
      } catch (error) {
        if (error instanceof Exhausted) return { problem: { message: 'takes too long on this value' } }
        return { problem: { message: error instanceof Error ? error.message : String(error) } }
      }
    },
  }
}

class Exhausted extends Error {}

function keep<T>(cache: Map<string, T>, key: string, value: T): void {
  if (cache.size >= MAX_KEPT) cache.clear()
  cache.set(key, value)
}

/** In I-Regexp a dot is neither a line feed nor a carriage return. */
function anyCharButNewline(pattern: string): string {
  let inClass = false
  return pattern.replace(/\\.|[.[\]]/gsu, (token) => {
    if (token === '[') inClass = true
    if (token === ']') inClass = false
    return token === '.' && !inClass ? '[^\\n\\r]' : token
  })
}

/** A view of a value on which every look costs something. */
function createMeter(spend: (amount: number) => void) {
  const originals = new WeakMap<object, object>()
  const views = new WeakMap<object, object>()
  const handler: ProxyHandler<object> = {
    get(target, key, receiver) {
      spend(1)
      return metered(Reflect.get(target, key, receiver))
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target)
      spend(keys.length)
      return keys
    },
  }

  function metered(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    const view = views.get(value) ?? new Proxy(value, handler)
    views.set(value, view)
    originals.set(view, value)
    return view
  }

  function plain(value: unknown): Json {
    const original = typeof value === 'object' && value !== null ? originals.get(value) : undefined
    return (original ?? value) as Json // nothing but what was put in
  }

  return { metered, plain }
}
