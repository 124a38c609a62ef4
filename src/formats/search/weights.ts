/** Where a word may stand. In an index each has a bit, in this order. */
export const FIELDS = ['name', 'keywords', 'capabilities', 'description'] as const
export const FIELD_BITS = FIELDS.length
export const NAME = 1 << FIELDS.indexOf('name')
export const CAPABILITIES = 1 << FIELDS.indexOf('capabilities')

/** Where a word stands says how much it means. In the order of FIELDS. */
const WEIGHTS = [1, 0.8, 0.8, 0.5]

/** How much a word means that stands in these fields of a document whose name has so many words: from 0 to 1. */
export function weigh(fields: number, nameLength: number): number {
  let missing = 1
  for (let field = 0; field < FIELD_BITS; field++) {
    if ((fields & (1 << field)) === 0) continue
    // Of a name of many words one is not the whole.
    const share = field === 0 ? 0.6 + 0.4 / Math.max(1, nameLength) : 1
    missing *= 1 - (WEIGHTS[field] ?? 0) * share
  }
  return 1 - missing
}
