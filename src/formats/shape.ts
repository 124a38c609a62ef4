/** The words in which a format says what its files look like; `shape/declaration.ts` says what a shape is. */
export { anyJson, anyObject, list, map, pairsOf, patchy, sound } from './shape/collections.ts'
export type { Flaw, Issue, ObjectOf, Path, Shape, ValueOf } from './shape/declaration.ts'
export { duration, size } from './shape/measures.ts'
export { show } from './shape/mismatch.ts'
export { object, required } from './shape/object.ts'
export { bool, integer, oneOf, path, text, words } from './shape/scalars.ts'
