import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { canMount, fillDisk, mountSmallDisk } from '../../test/stories/small-disk.ts'
import { LOG_LEVELS, type LogLevel } from '../model/index.ts'
import { createLog, openLogSink } from './log.ts'

const folder = mkdtempSync(join(tmpdir(), 'orla-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const AT = new Date('2026-01-02T03:04:05.678Z')

function capture(format: 'json' | 'pretty', level: LogLevel = 'debug') {
  const lines: string[] = []
  const sink = { write: (line: string) => lines.push(line), reopen() {}, close() {}, colours: false }
  return {
    lines,
    log: createLog(
      sink,
      () => ({ format, level }),
      () => AT,
    ),
  }
}

describe('the log', () => {
  it('Q29: writes one JSON object a line', () => {
    const { lines, log } = capture('json')
    log.info('call', { tool: 'hello', duration_ms: 3.2, success: true })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: '2026-01-02T03:04:05.678Z',
        level: 'info',
        msg: 'call',
        tool: 'hello',
        duration_ms: 3.2,
        success: true,
      },
    ])
  })

  it('Q31: knows five levels and leaves out what is below the chosen one', () => {
    for (const [index, least] of LOG_LEVELS.entries()) {
      const { lines, log } = capture('json', least)
      for (const level of LOG_LEVELS) log[level]('x')
      expect(lines.map((line) => JSON.parse(line).level)).toEqual(LOG_LEVELS.slice(index))
    }
  })

  it.each(['json', 'pretty'] as const)('cannot be forged in %s by what a tool prints', (format) => {
    const { lines, log } = capture(format)
    const hostile = 'x\n{"level":"fatal","msg":"forged"}\r\u001b[2Jgone\u202e\u2028end'
    log.warn('stderr', { error: hostile })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.trimEnd().split('\n')).toHaveLength(1)
    expect(lines[0]).not.toContain('\u001b')
  })

  it('keeps hostile text intact for machines', () => {
    const { lines, log } = capture('json')
    log.info('x', { text: '\u001b[31m\n', error: new Error('boom'), big: 10n })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      text: '\u001b[31m\n',
      error: { message: 'boom' },
      big: '10',
    })
  })

  it('continues under its name after a rotation', () => {
    const file = join(folder, 'orla.log')
    const sink = openLogSink({ file, stderr: process.stderr, colours: false })
    sink.write('one\n')
    renameSync(file, `${file}.1`)
    sink.reopen()
    sink.write('two\n')
    sink.close()
    expect([readFileSync(`${file}.1`, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['one\n', 'two\n'])
  })

  it('lines that are put together in place stand between the others, and are there when the log is closed', () => {
    const file = join(folder, 'add.log')
    const sink = openLogSink({ file, stderr: process.stderr, colours: false })
    sink.add((lines) => lines.text('one\n'))
    sink.write('two\n')
    sink.add((lines) => {
      for (const name of ['three', 'four']) lines.text(`${name}\n`)
    })
    expect(readFileSync(file, 'utf8')).toBe('')
    sink.close()
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\nfour\n')
  })

  it('what is larger than is gathered is written at once and whole', async () => {
    const file = join(folder, 'large.log')
    const sink = openLogSink({ file, stderr: process.stderr, colours: false })
    const large = `${'ö'.repeat(200_000)}\n`
    sink.write('small\n')
    sink.write(large)
    expect(readFileSync(file, 'utf8')).toBe(`small\n${large}`)
    sink.write('last\n')
    await expect.poll(() => readFileSync(file, 'utf8')).toBe(`small\n${large}last\n`)
    sink.close()
  })

  it('a slow reader gets every record as it was written, though others follow', async () => {
    const chunks: string[] = []
    const slow = new Writable({
      // The bytes are looked at long after they were handed over.
      write: (chunk: Uint8Array, _, done) => {
        setTimeout(() => {
          chunks.push(Buffer.from(chunk).toString())
          done()
        }, 5)
      },
    })
    // As much of a terminal as the log uses.
    const stderr = slow as unknown as NodeJS.WriteStream
    const sink = openLogSink({ file: null, stderr, colours: false })
    const lines = Array.from({ length: 500 }, (_, line) => `${String(line).padEnd(999, '.')}\n`)
    for (const line of lines) sink.write(line)
    sink.close()
    await new Promise<void>((resolve) => slow.end(resolve))
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.join('')).toBe(lines.join(''))
  })
})

describe.skipIf(!canMount())('the log on a full disk (needs to mount a small one)', () => {
  it.each(['log_file', 'stderr'])(
    'Q29: %s goes on when there is room again, and says what it left out',
    (to) => {
      const disk = join(folder, to)
      mkdirSync(disk)
      mountSmallDisk(disk)
      const file = join(disk, 'log')
      const fd = openSync(file, 'a')
      // As much of a stream as the log uses of one that is a file.
      const stderr = { fd, isTTY: false } as unknown as NodeJS.WriteStream
      const sink = openLogSink({ file: to === 'stderr' ? null : file, stderr, colours: false })
      const write = (record: object) => {
        sink.write(`${JSON.stringify(record)}\n`)
        sink.reopen() // what was gathered is written
      }
      write({ msg: 'first' })
      fillDisk(disk)
      for (let index = 0; index < 100; index++) write({ msg: 'x'.repeat(1000) })
      rmSync(join(disk, 'filler'))
      write({ msg: 'last' })
      sink.close()
      closeSync(fd)
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
      const whole = lines.flatMap((line): Record<string, unknown>[] => {
        try {
          return [JSON.parse(line)]
        } catch {
          return []
        }
      })
      // The one that was cut is not the beginning of another.
      expect(lines.length - whole.length).toBeLessThanOrEqual(1)
      const kept = whole.filter(({ msg }) => String(msg).startsWith('x')).length
      const told = whole.find(({ msg }) => msg === 'log records dropped')
      expect(told).toMatchObject({ level: 'warn', dropped: 100 - kept })
      expect([whole[0], whole.at(-1)]).toEqual([{ msg: 'first' }, { msg: 'last' }])
    },
  )
})
