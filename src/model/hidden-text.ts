import { isJsonObject, type Json } from './json.ts'

/** A character that a model reads and a person does not see, or sees as something else. */
export interface Hidden {
  /** `U+200B` */
  readonly code: string
  readonly what: string
}

// Nearly all text is this, and needs no closer look.
const PLAIN = /^[\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff]*$/

/** Patterns by Unicode's own tables take a millisecond to make, and most programs see only plain text. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

// Controls, whatever Unicode says is not to be shown, private use, halves of pairs, line and paragraph separators.
const suspect = once(() => /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\u2028\u2029\ufff9-\ufffb]/gu)

/** The first hidden character; undefined when what is read is what is seen. */
export function findHidden(text: string): Hidden | undefined {
  if (PLAIN.test(text)) return undefined
  for (const { 0: char, index } of text.matchAll(suspect()))
    if (!isInPlace(char, text, index)) return describe(char)
  return undefined
}

/** Shows hidden characters by their numbers; the rest stays. */
export function showHidden(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(suspect(), (char, index: number) =>
    isInPlace(char, text, index) ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** The first hidden character in any text of a value, the names of members too, and the way there. */
export function findHiddenIn(
  value: Json | undefined,
  path: readonly (string | number)[] = [],
): (Hidden & { readonly path: readonly (string | number)[]; readonly onKey: boolean }) | undefined {
  if (typeof value === 'string') {
    const hidden = findHidden(value)
    return hidden && { ...hidden, path, onKey: false }
  }
  if (Array.isArray(value)) return firstOf(value.entries(), path)
  return isJsonObject(value) ? firstOf(Object.entries(value), path) : undefined
}

function firstOf(
  members: Iterable<[string | number, Json | undefined]>,
  path: readonly (string | number)[],
): ReturnType<typeof findHiddenIn> {
  for (const [key, member] of members) {
    const inKey = typeof key === 'string' ? findHidden(key) : undefined
    if (inKey) return { ...inKey, path: [...path, key], onKey: true }
    const found = findHiddenIn(member, [...path, key])
    if (found) return found
  }
  return undefined
}

/** The same value with its hidden characters shown. */
export function showHiddenIn<T extends Json | undefined>(value: T): T {
  return show(value) as T // a text stays a text, a list a list, an object an object
}

function show(value: Json | undefined): Json | undefined {
  if (typeof value === 'string') return showHidden(value)
  if (Array.isArray(value)) return value.map((item: Json) => show(item) ?? null)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [showHidden(key), show(member) ?? null]),
  )
}

const picture = once(() => /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u)
/** Scripts in which joiners change how letters look. */
const joining = once(
  () => /(?=\p{L}|\p{M})(?!\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Han})./u,
)
const beforeSelector = once(() => /[\p{So}\p{Sm}\p{Sc}\p{Sk}\p{Po}\p{Extended_Pictographic}\p{Nd}#*]/u)

/** Line breaks, joiners in emoji and in scripts that need them, and the sign that asks for an emoji in colour. */
function isInPlace(char: string, text: string, index: number): boolean {
  if (char === '\n' || char === '\t') return true
  if (char === '\r') return text[index + 1] === '\n'
  const before = charBefore(text, index)
  const after = String.fromCodePoint(text.codePointAt(index + char.length) ?? 0)
  if (char === '\u200d' && picture().test(before) && picture().test(after)) return true
  if (char === '\u200d' || char === '\u200c') return joining().test(before) && joining().test(after)
  return (char === '\ufe0e' || char === '\ufe0f') && beforeSelector().test(before)
}

function charBefore(text: string, index: number): string {
  const last = text.slice(Math.max(0, index - 2), index)
  // Of two units only a pair is one character.
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(last) ? last : last.slice(-1)
}

const kinds = once((): readonly (readonly [RegExp, string])[] => [
  [/\p{Cc}/u, 'a control character'],
  [/[\u200b-\u200d\u2060\ufeff]/u, 'a zero-width character'],
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u, 'a character that changes the direction of text'],
  [/[\u{e0000}-\u{e007f}]/u, 'a tag character'],
  [/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u, 'a variation selector'],
  [/\p{Co}/u, 'a private-use character'],
  [/\p{Cs}/u, 'half of a character'],
  [/[\u2028\u2029]/u, 'a separator that looks like nothing'],
])

function describe(char: string): Hidden {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return {
    code: `U+${code}`,
    what: kinds().find(([kind]) => kind.test(char))?.[1] ?? 'an invisible character',
  }
}
