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
    const code = text.charCodeAt(i)
    const pair = PAIRS[code]
    const isPair = pair !== undefined && text.charCodeAt(i + 1) === pair.follower
    if (isPair) i++
    sum = Math.imul(sum ^ (isPair ? pair.looks : (LOOKS[code] ?? code)), 0x01000193)
  }
  return sum
}

const codeOf = (char: string) => char.charCodeAt(0)

// Coarser than `looksOf`, which tells a large I from a small one.
const LOOKS: Readonly<Record<number, number>> = {
  [codeOf('_')]: codeOf('-'),
  [codeOf('.')]: codeOf('-'),
  [codeOf('i')]: codeOf('l'),
  [codeOf('1')]: codeOf('l'),
  [codeOf('0')]: codeOf('o'),
}

const PAIRS: Readonly<Record<number, { readonly follower: number; readonly looks: number }>> = {
  [codeOf('r')]: { follower: codeOf('n'), looks: codeOf('m') },
  [codeOf('v')]: { follower: codeOf('v'), looks: codeOf('w') },
}
