import { wireNames } from '../formats/index.ts'
import { type Catalog, nearest, type Prompt } from '../model/index.ts'
import type { NameStyle } from './contract.ts'
import { clip } from './describe-message.ts'
import { MESSAGE_BYTES, pageOf } from './pages.ts'
import { RPC, RpcError } from './rpc-error.ts'

export interface PromptPage {
  readonly prompts: readonly WirePrompt[]
  readonly nextCursor?: string
}

/** The text is only for who asks for it. */
export type WirePrompt = Omit<Prompt, 'text'>

export interface FilledPrompt {
  readonly description?: string
  readonly messages: readonly {
    readonly role: 'user'
    readonly content: { readonly type: 'text'; readonly text: string }
  }[]
}

/** `prompts/list`, whatever the era. */
export function listPrompts(
  catalog: Catalog,
  style: NameStyle,
  cursor?: string,
  pageBytes?: number,
): PromptPage {
  const { items: prompts, ...rest } = pageOf(
    wirePrompts(catalog, style).prompts,
    ({ name }) => name,
    cursor,
    pageBytes,
  )
  return { prompts, ...rest }
}

/** `prompts/get`: the text with what was given in its places. */
export function getPrompt(
  catalog: Catalog,
  style: NameStyle,
  name: string,
  given: Readonly<Record<string, string>>,
): FilledPrompt {
  const { byName } = wirePrompts(catalog, style)
  const prompt = byName.get(name)
  if (!prompt) throw unknownPrompt(name, [...byName.keys()])
  const missing = prompt.arguments.filter(
    (argument) => argument.required && !Object.hasOwn(given, argument.name),
  )
  if (missing.length > 0) throw missingArguments(name, missing)
  const text = fill(prompt, given)
  return {
    ...(prompt.description !== undefined && { description: prompt.description }),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  }
}

const PLACES = /\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g

/** In one pass: what was given is never looked through for places. What is no argument's place stays as it is. */
function fill({ text, arguments: declared }: Prompt, given: Readonly<Record<string, string>>): string {
  const names = new Set(declared.map(({ name }) => name))
  const pieces: string[] = []
  let end = 0
  let units = text.length
  for (const { 0: place, 1: name = '', index } of text.matchAll(PLACES)) {
    const value = Object.hasOwn(given, name) ? (given[name] ?? '') : ''
    const piece = names.has(name) ? value : place
    units += piece.length
    if (units > MESSAGE_BYTES) throw new RpcError(RPC.invalidParams, 'The arguments make the prompt too long')
    pieces.push(text.slice(end, index), piece)
    end = index + place.length
  }
  return [...pieces, text.slice(end)].join('')
}

function missingArguments(name: string, missing: Prompt['arguments']): RpcError {
  const names = missing.map((argument) => `\`${argument.name}\``).join(', ')
  return new RpcError(
    RPC.invalidParams,
    `The prompt \`${name}\` needs ${missing.length === 1 ? 'the argument' : 'the arguments'} ${names}`,
  )
}

function unknownPrompt(name: string, names: readonly string[]): RpcError {
  const shown = clip(name)
  const close = nearest(shown, names)
  const hint = close === undefined ? 'list the prompts to see their names' : `did you mean \`${close}\`?`
  return new RpcError(RPC.invalidParams, `There is no prompt called \`${shown}\` (${hint})`)
}

interface WirePrompts {
  /** By name, in code-point order. */
  readonly prompts: readonly WirePrompt[]
  /** By what a client calls them. */
  readonly byName: ReadonlyMap<string, Prompt>
}

const cache: Record<NameStyle, WeakMap<Catalog, WirePrompts>> = { raw: new WeakMap(), safe: new WeakMap() }

function wirePrompts(catalog: Catalog, style: NameStyle): WirePrompts {
  let wire = cache[style].get(catalog)
  if (!wire) {
    wire = build(catalog.prompts ?? [], style)
    cache[style].set(catalog, wire)
  }
  return wire
}

function build(all: readonly Prompt[], style: NameStyle): WirePrompts {
  const names = wireNames(
    all.map(({ name }) => name),
    style,
  )
  const byName = new Map(all.map((prompt) => [names.get(prompt.name) ?? prompt.name, prompt]))
  const prompts = [...byName].map(([name, prompt]) => toWirePrompt(name, prompt))
  return { prompts: prompts.sort((a, b) => (a.name < b.name ? -1 : 1)), byName }
}

function toWirePrompt(name: string, { title, description, arguments: names }: Prompt): WirePrompt {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    arguments: names,
  }
}
