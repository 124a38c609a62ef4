/** By code points, so that the order depends neither on the locale nor on how text is stored. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    // Halves of surrogate pairs stand for code points above all others.
    return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1
  }
  return a.length - b.length
}

function isSurrogate(code: number): boolean {
  return (code & 0xf800) === 0xd800
}
