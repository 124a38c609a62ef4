import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lookAt } from '../platform/index.ts'
import { answerBytes } from './answer-file.ts'
import { createLooks } from './looks.ts'
import { questionOf } from './question.ts'
import { keptAnswer } from './repeat.ts'

const HOUR_MS = 3_600_000
const NOW = Date.now() + 60_000

/** An answer that was kept for a file. */
function keep() {
  const home = mkdtempSync(join(tmpdir(), 'answers-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const input = join(home, 'input')
  writeFileSync(input, 'text')
  const asked = {
    program: ['main-1'],
    words: ['list'],
    cwd: home,
    home: '',
    user: [0],
    widths: [80, undefined],
  }
  const question = { ...questionOf(asked), file: join(home, 'answer') }
  const looks = createLooks(NOW, [])
  looks.looked(input, true, false)
  looks.ended(input, input)
  const seen = looks.again(lookAt)
  if (seen === undefined) throw new Error('it cannot be relied upon')
  const pieces = [
    { fd: 1, bytes: Buffer.from('data\n') },
    { fd: 2, bytes: Buffer.from('note\n') },
  ] as const
  const variables = { SET: 'a', NOT_SET: null }
  writeFileSync(
    question.file,
    answerBytes({ question: question.text, made: NOW, variables, pieces, ...seen }),
  )
  const env = { SET: 'a', OTHER: 'b' }
  const ask = (change: Partial<Parameters<typeof keptAnswer>[0]> = {}) =>
    keptAnswer({ question, env, now: NOW + 1, lookAt, ...change })
  return { asked, question, input, ask }
}

describe('an answer that was kept', () => {
  it('is given as it was printed', () => {
    expect(
      keep()
        .ask()
        ?.map(({ fd, bytes }) => [fd, bytes.toString()]),
    ).toEqual([
      [1, 'data\n'],
      [2, 'note\n'],
    ])
  })

  it('is given for an hour, and not when the clock goes back', () => {
    const { ask } = keep()
    expect(ask({ now: NOW + HOUR_MS })).toBeDefined()
    expect(ask({ now: NOW + HOUR_MS + 1 })).toBeUndefined()
    expect(ask({ now: NOW - 1 })).toBeUndefined()
  })

  it('is given where the variables it depends on are the same', () => {
    const { ask } = keep()
    expect(ask({ env: { SET: 'a' } })).toBeDefined()
    expect(ask({ env: { SET: 'b' } })).toBeUndefined()
    expect(ask({ env: {} })).toBeUndefined()
    expect(ask({ env: { SET: 'a', NOT_SET: '' } })).toBeUndefined()
  })

  it('is for one question, whatever its file is called', () => {
    const { ask, asked, question } = keep()
    const changes = [{ program: ['main-2'] }, { words: ['list', '--json'] }, { cwd: '/' }, { user: [1] }]
    for (const change of [...changes, { widths: [81, undefined] }, { widths: [undefined, 80] }]) {
      const other = questionOf({ ...asked, ...change })
      expect(ask({ question: { ...other, file: question.file } })).toBeUndefined()
      expect(other.file).not.toBe(questionOf(asked).file)
    }
  })

  it('is not given when a file it depends on is another one', () => {
    const { ask, input } = keep()
    writeFileSync(input, 'other')
    expect(ask()).toBeUndefined()
    rmSync(input)
    expect(ask()).toBeUndefined()
  })

  it('is not given when something befell its own file', () => {
    const { ask, question } = keep()
    const whole = readFileSync(question.file)
    for (let length = 0; length < whole.length; length += 7) {
      truncateSync(question.file, length)
      expect(ask()).toBeUndefined()
      writeFileSync(question.file, whole)
    }
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 0x55
      writeFileSync(question.file, changed)
      expect([at, ask()]).toEqual([at, undefined])
    }
  })
})
