import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLineReader } from './line-reader.ts'

function linesOf(chunks: readonly Buffer[], maxBytes = 1_000_000): string[] {
  const reader = createLineReader(maxBytes)
  const lines: string[] = []
  for (const chunk of chunks) reader.push(chunk, (line) => lines.push(line))
  reader.finish((line) => lines.push(line))
  return lines
}

it('finds the same lines however the bytes arrive', () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme', maxLength: 40 }).map((line) => line.replaceAll('\n', ' ')),
  )
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 30 }), { maxLength: 20 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const chunks: Buffer[] = []
      let at = 0
      for (const cut of cuts) {
        chunks.push(bytes.subarray(at, at + cut))
        at += cut
      }
      chunks.push(bytes.subarray(at))
      expect(linesOf(chunks)).toEqual(lines)
    }),
  )
})

it('keeps what is not finished yet, and forgets it when told to', () => {
  const reader = createLineReader(100)
  const lines: string[] = []
  const push = (text: string) => reader.push(Buffer.from(text), (line) => lines.push(line))
  push('a')
  push('b\nc')
  expect(lines).toEqual(['ab'])
  reader.clear()
  push('d\n')
  expect(lines).toEqual(['ab', 'd'])
})

it('a line may be as long as allowed, in one piece or in many, and no longer', () => {
  const line = (length: number) => Buffer.from('x'.repeat(length))
  const end = Buffer.from('\n')
  expect(linesOf([Buffer.concat([line(10), end, line(10), end])], 10)).toHaveLength(2)
  expect(linesOf([line(4), line(6), end], 10)).toHaveLength(1)
  expect(() => linesOf([Buffer.concat([line(11), end])], 10)).toThrow('longer than 10 bytes')
  expect(() => linesOf([line(6), line(5)], 10)).toThrow('longer than 10 bytes')
})

it('takes what is left at the end as a line, once', () => {
  const reader = createLineReader(100)
  const lines: string[] = []
  const onLine = (line: string) => void lines.push(line)
  reader.push(Buffer.from('a\nb'), onLine)
  reader.push(Buffer.from('c'), onLine)
  for (let i = 0; i < 2; i++) reader.finish(onLine)
  expect(lines).toEqual(['a', 'bc'])
})
