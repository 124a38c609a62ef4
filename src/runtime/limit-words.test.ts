import { describe, expect, it } from 'vitest'
import { limitWords } from './limit-words.ts'

const LIMITS = { cpuMs: 1000, memoryBytes: 64 * 1024 * 1024, processes: 8, fileBytes: 4096 }
const end = (exitCode: number | null, signal: string | null = null, stderr = '') => ({
  exitCode,
  signal,
  stderr: Buffer.from(stderr),
})

describe('which limit ended a program', () => {
  it.each([
    [end(null, 'SIGXCPU'), /1 s of processor time/],
    [end(152), /processor time/],
    [end(null, 'SIGXFSZ'), /4 KiB/],
    [end(1, null, 'OSError: [Errno 27] File too large'), /file of more than 4 KiB/],
    [end(1, null, 'Traceback\nMemoryError\n'), /64 MiB of memory/],
    [end(134, null, 'FATAL ERROR: Reached heap limit - JavaScript heap out of memory'), /memory/],
    [end(2, null, 'sh: 1: Cannot fork'), /8 processes/],
  ])('Q88, Q91: %j', (how, words) => {
    expect(limitWords(how, LIMITS)).toMatch(words)
  })

  it('is none where the program ended well, has no such limit, or failed by itself', () => {
    expect(limitWords(end(0, null, 'MemoryError'), LIMITS)).toBeUndefined()
    expect(limitWords(end(null, 'SIGXCPU'), {})).toBeUndefined()
    expect(limitWords(end(1, null, 'MemoryError'), {})).toBeUndefined()
    expect(limitWords(end(1, null, 'no such file'), LIMITS)).toBeUndefined()
  })
})
