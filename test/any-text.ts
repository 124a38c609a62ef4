import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/** Any character at all. The `binary` of fast-check is the same, after a second of making tables in every file. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((point) => String.fromCodePoint(point < SURROGATES.first ? point : point + SURROGATES.count))

/** Text of any characters, those of ASCII often enough to mean something. */
export function anyText(length: fc.StringConstraints = {}): fc.Arbitrary<string> {
  return fc.string({
    ...length,
    unit: fc.oneof(anyCharacter, fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 })),
  })
}
