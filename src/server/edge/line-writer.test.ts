import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLineWriter } from './line-writer.ts'

/** A stream that takes a chunk when told to. */
function slowStream(highWaterMark = 64 * 1024) {
  const taken: string[] = []
  const waiting: (() => void)[] = []
  let isFast = true
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    writev(chunks, done) {
      const text = chunks.map(({ chunk }) => String(chunk)).join('')
      const take = () => {
        taken.push(text)
        done()
      }
      if (isFast) take()
      else waiting.push(take)
    },
  })
  return {
    stream,
    taken,
    hold: () => {
      isFast = false
    },
    release: async () => {
      isFast = true
      for (const take of waiting.splice(0)) take()
      await turn()
    },
  }
}

it('answers of one turn leave together and in order, whoever wrote them', async () => {
  const { stream, taken } = slowStream()
  const writer = createLineWriter(stream, () => {})
  writer.write('a')
  writer.write({ head: Buffer.from('he'), tail: 'ad' })
  writer.write('b')
  expect(taken).toEqual([])
  await turn()
  expect(taken).toEqual(['a\nhead\nb\n'])
})

it('a notification does not wait for the answer behind it', async () => {
  const { stream, taken } = slowStream()
  const writer = createLineWriter(stream, () => {})
  writer.write('before')
  writer.note('progress')
  writer.write('answer')
  await turn()
  expect(taken).toEqual(['before\nprogress\n', 'answer\n'])
})

it('says when a line has left', async () => {
  const { stream, hold, release } = slowStream()
  const writer = createLineWriter(stream, () => {})
  let left = 0
  hold()
  writer.write('a', () => left++)
  writer.write('b', () => left++)
  await turn()
  expect(left).toBe(0)
  await release()
  expect(left).toBe(2)
})

it('holds back what a slow reader has no room for, and says when there is room again', async () => {
  const { stream, taken, hold, release } = slowStream(10)
  let drained = 0
  const writer = createLineWriter(stream, () => drained++)
  hold()
  writer.write('0123456789')
  await turn()
  for (const text of ['a', 'b', 'c']) {
    writer.write(text)
    await turn()
  }
  expect(stream.writableLength).toBe(11)
  expect(writer.waiting).toBe(14)
  await release()
  expect(taken).toEqual(['0123456789\n', 'a\nb\nc\n'])
  expect(drained).toBe(1)
  expect(writer.waiting).toBe(0)
})

it('when the reader is gone every line still learns what became of it', async () => {
  const { stream, hold, release } = slowStream(1)
  stream.on('error', () => {})
  const writer = createLineWriter(stream, () => {})
  const ends: unknown[] = []
  hold()
  writer.write('a', (error) => ends.push(error?.message))
  await turn()
  writer.write('b', (error) => ends.push(error?.message))
  stream.destroy(new Error('write EPIPE'))
  writer.letGo()
  writer.write('c', (error) => ends.push(error?.message))
  await turn()
  expect(ends).toHaveLength(2)
  expect(ends).not.toContain(undefined)
  await release()
  expect(ends).toHaveLength(3)
})
