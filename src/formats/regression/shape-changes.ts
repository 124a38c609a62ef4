import { pathSelector } from '../path-selector.ts'
import { isOptional, type OutputShape, own, shapeWords } from './output-shape.ts'

/** One place in which two shapes differ. */
export interface ShapeChange {
  /** A JSONPath; `[*]` is any element. */
  readonly path: string
  readonly change: 'added' | 'removed' | 'type' | 'presence'
  readonly before: string
  readonly now: string
  /** A caller who relied on what was there before may fail now. */
  readonly breaking: boolean
}

/**
 * Every difference, whichever side is older; only what breaks depends on that. A key that is new breaks nobody, and
 * neither does one that was not always there before.
 */
export function compareShapes(before: OutputShape, now: OutputShape, path = '$'): ShapeChange[] {
  const changes: ShapeChange[] = []
  if (before.types.join() !== now.types.join()) {
    const breaking = now.types.some((type) => !before.types.includes(type))
    changes.push({ path, change: 'type', before: typesOf(before), now: typesOf(now), breaking })
  }
  if (before.open || now.open) return changes
  if (before.keys !== undefined && now.keys !== undefined) {
    changes.push(...compareKeys(before, before.keys, now, now.keys, path))
  }
  // Of lists that were always empty nothing is known that could differ.
  if (before.items && now.items) changes.push(...compareShapes(before.items, now.items, `${path}[*]`))
  return changes
}

type Keys = Readonly<Record<string, OutputShape>>

function compareKeys(
  before: OutputShape,
  old: Keys,
  now: OutputShape,
  next: Keys,
  path: string,
): ShapeChange[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort()
  return names.flatMap((name): ShapeChange[] => {
    const [was, is] = [own(old, name), own(next, name)]
    const place = `${path}${pathSelector(name)}`
    if (was === undefined) {
      return [{ path: place, change: 'added', before: '', now: is ? shapeWords(is) : '', breaking: false }]
    }
    if (is === undefined) {
      const breaking = !isOptional(before, name)
      return [{ path: place, change: 'removed', before: shapeWords(was), now: '', breaking }]
    }
    const [wasOptional, isNowOptional] = [isOptional(before, name), isOptional(now, name)]
    const words = (optional: boolean) => (optional ? 'sometimes' : 'always')
    const presence: ShapeChange = {
      path: place,
      change: 'presence',
      before: words(wasOptional),
      now: words(isNowOptional),
      breaking: isNowOptional,
    }
    return [...(wasOptional === isNowOptional ? [] : [presence]), ...compareShapes(was, is, place)]
  })
}

export function shapeChangeWords({ path, change, before, now }: ShapeChange): string {
  switch (change) {
    case 'added':
      return `${path} is new: ${now}`
    case 'removed':
      return `${path} is gone; it was ${before}`
    case 'type':
      return `${path} was ${before}, is ${now}`
    case 'presence':
      return now === 'always' ? `${path} is always there now` : `${path} is not always there any more`
  }
}

function typesOf({ types }: OutputShape): string {
  return types.join(' | ')
}
