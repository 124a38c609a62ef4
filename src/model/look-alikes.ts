/** How a name looks: names of which one of these is the same are taken for each other. */
export function looksOf(name: string): readonly string[] {
  const plain = name.toLowerCase().replace(/[-_.]/g, '-')
  if (!/[I10]|rn|vv/i.test(name)) return [plain]
  const drawn = name
    .replace(/[I1]/g, 'l')
    .toLowerCase()
    .replace(/[-_.]/g, '-')
    .replaceAll('0', 'o')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
  return drawn === plain ? [plain] : [plain, drawn]
}

/**
 * The same number for names that are taken for each other, and nearly always another one for all others: ten thousand
 * names are told apart by it without writing down how each of them looks.
 */
export function lookNumber(name: string): number {
  const text = name.toLowerCase()
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i)
    switch (code) {
      case UNDERSCORE:
      case DOT:
        code = HYPHEN
        break
      // Coarser than `looksOf`, which tells a large I from a small one.
      case SMALL_I:
      case ONE:
        code = SMALL_L
        break
      case ZERO:
        code = SMALL_O
        break
      case SMALL_R:
        if (text.charCodeAt(i + 1) !== SMALL_N) break
        code = SMALL_M
        i++
        break
      case SMALL_V:
        if (text.charCodeAt(i + 1) !== SMALL_V) break
        code = SMALL_W
        i++
    }
    sum = Math.imul(sum ^ code, 0x01000193)
  }
  return sum
}

const HYPHEN = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const ONE = 0x31
const UNDERSCORE = 0x5f
const SMALL_I = 0x69
const SMALL_L = 0x6c
const SMALL_M = 0x6d
const SMALL_N = 0x6e
const SMALL_O = 0x6f
const SMALL_R = 0x72
const SMALL_V = 0x76
const SMALL_W = 0x77
