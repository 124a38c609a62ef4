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
