/**
 * Hexadecimal digits that no other process comes up with at the same time. Not a secret: whoever makes a file of that name
 * refuses one that is there.
 */
export function uniqueName(digits = 12): string {
  let name = ''
  while (name.length < digits) {
    name += Math.floor(Math.random() * 2 ** 16)
      .toString(16)
      .padStart(4, '0')
  }
  return name.slice(0, digits)
}
