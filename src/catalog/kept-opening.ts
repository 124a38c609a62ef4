import type { Opening } from '../formats/index.ts'
import { isJsonObject, type JsonSchema, type WrittenFace } from '../model/index.ts'
import type { CachedOpenings } from './cache-file.ts'

type HeaderProblem = Opening['header']['problems'][number]
type Refusal = NonNullable<Opening['refusal']>

/**
 * What a cache says about one file. One of these is made for each of ten thousand tools, hence a class, and each
 * line is parsed when someone asks for it. What has not the right shape was not written by us and says nothing.
 */
export class KeptOpening implements Opening {
  private readonly cached: CachedOpenings
  private readonly index: number
  private schema: JsonSchema | undefined

  constructor(cached: CachedOpenings, index: number) {
    this.cached = cached
    this.index = index
    this.schema = undefined
  }

  /** It is its own header: one object less for each tool. */
  get header(): KeptOpening {
    return this
  }

  get print(): string {
    return textOf(this.cached.columns.print.at(this.index)) ?? ''
  }

  get description(): string | undefined {
    return textOf(this.cached.columns.description.at(this.index))
  }

  get title(): string | undefined {
    return textOf(this.cached.columns.title.at(this.index))
  }

  get inputSchema(): JsonSchema | undefined {
    const line = this.cached.columns.inputSchema.at(this.index)
    if (line === '') return undefined
    if (this.schema === undefined) {
      const schema = parse(line)
      this.schema = isJsonObject(schema) ? schema : undefined
    }
    return this.schema
  }

  get interpreter(): readonly string[] | null {
    const words = parse(this.cached.columns.interpreter.at(this.index))
    return isWords(words) ? words : null
  }

  get problems(): readonly HeaderProblem[] {
    const line = this.cached.columns.problems.at(this.index)
    if (line === '') return NONE
    const problems = parse(line)
    return isProblems(problems) ? problems : NONE
  }

  get refusal(): Refusal | undefined {
    const line = this.cached.columns.refusal.at(this.index)
    if (line === '') return undefined
    const refusal = parse(line)
    return isProblem(refusal) ? refusal : undefined
  }

  get written(): WrittenFace {
    return {
      title: this.cached.columns.title.at(this.index),
      description: this.cached.columns.description.at(this.index),
      inputSchema: this.cached.columns.inputSchema.at(this.index),
    }
  }
}

/** Whether what decides about a tool was written by us. The rest is looked at when it is used. */
export function isSound(cached: CachedOpenings, index: number): boolean {
  const problems = cached.columns.problems.at(index)
  const refusal = cached.columns.refusal.at(index)
  return (problems === '' || isProblems(parse(problems))) && (refusal === '' || isProblem(parse(refusal)))
}

const NONE: readonly HeaderProblem[] = []

function isProblems(value: unknown): value is readonly HeaderProblem[] {
  return Array.isArray(value) && value.every((one) => isProblem(one) && one.line !== undefined)
}

function isProblem(value: unknown): value is Refusal {
  if (!isJsonObject(value)) return false
  const { message, hint, line } = value
  return (
    isText(message) && (hint === undefined || isText(hint)) && (line === undefined || Number.isInteger(line))
  )
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function textOf(line: string): string | undefined {
  // Nearly all are plain: what stands between the quotes is the text.
  if (line.charCodeAt(0) === QUOTE && line.endsWith('"') && !line.includes('\\')) return line.slice(1, -1)
  const text = parse(line)
  return isText(text) ? text : undefined
}

const QUOTE = 0x22

function parse(line: string): unknown {
  try {
    return line === '' ? undefined : JSON.parse(line)
  } catch {
    return undefined
  }
}
