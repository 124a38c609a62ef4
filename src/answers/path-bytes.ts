/** Paths as `lookAt` takes them. */
export function pathBytes(flag: 'l' | 'f', paths: Iterable<string>): Buffer {
  let text = ''
  for (const path of paths) text += `${flag}${path}\0`
  return Buffer.from(text)
}
