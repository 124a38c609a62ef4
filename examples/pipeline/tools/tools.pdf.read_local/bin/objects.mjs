import { inflateSync } from 'node:zlib'

const OBJECT = /(?:^|[\r\n\s])(\d+)\s+\d+\s+obj\b/g
const LARGEST = 64 * 1024 * 1024

/** Every object by its number: its head, and its stream once someone asks. A later one replaces an earlier one. */
export function readObjects(file) {
  if (!file.startsWith('%PDF-')) throw new Error('it is not a PDF')
  if (/\/Encrypt\s+\d+\s+\d+\s+R/.test(file)) throw new Error('it is encrypted')
  const objects = new Map()
  for (const match of file.matchAll(OBJECT)) {
    const begin = match.index + match[0].length
    objects.set(Number(match[1]), objectAt(file, begin))
  }
  for (const { head, stream } of [...objects.values()]) {
    if (/\/Type\s*\/ObjStm\b/.test(head)) unpack(head, stream(), objects)
  }
  return objects
}

function objectAt(file, begin) {
  const close = file.indexOf('endobj', begin)
  const end = close < 0 ? file.length : close
  const opening = /\bstream\r?\n/g
  opening.lastIndex = begin
  const found = opening.exec(file)
  if (found === null || found.index > end) return { head: file.slice(begin, end), stream: () => '' }
  const head = file.slice(begin, found.index)
  const from = found.index + found[0].length
  return { head, stream: () => decode(head, file.slice(from, lengthOf(head, file, from))) }
}

/** Where a stream ends: its /Length when that is a number, else the word that closes it. */
function lengthOf(head, file, from) {
  const written = /\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(head)
  if (written) return from + Number(written[1])
  const close = file.indexOf('endstream', from)
  return close < 0 ? file.length : close
}

function decode(head, bytes) {
  const [, filters = ''] = /\/Filter\s*(\[[^\]]*\]|\/\w+)/.exec(head) ?? []
  const names = [...filters.matchAll(/\/(\w+)/g)].map(([, name]) => name)
  return names.reduce((data, name) => {
    if (name !== 'FlateDecode' && name !== 'Fl') throw new Error(`it uses ${name}, which is not known here`)
    return inflateSync(Buffer.from(data, 'latin1'), { maxOutputLength: LARGEST }).toString('latin1')
  }, bytes)
}

/** Objects that stand together in one compressed stream, since PDF 1.5. */
function unpack(head, data, objects) {
  const count = Number(/\/N\s+(\d+)/.exec(head)?.[1] ?? 0)
  const first = Number(/\/First\s+(\d+)/.exec(head)?.[1] ?? 0)
  const numbers = data.slice(0, first).trim().split(/\s+/).map(Number)
  for (let index = 0; index < count; index++) {
    const begin = first + numbers[2 * index + 1]
    const end = index + 1 < count ? first + numbers[2 * index + 3] : data.length
    objects.set(numbers[2 * index], { head: data.slice(begin, end), stream: () => '' })
  }
}
