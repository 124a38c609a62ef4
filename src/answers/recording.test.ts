import * as files from 'node:fs'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lookAt } from '../platform/index.ts'
import { readAnswer } from './answer-file.ts'
import { type Recording, startRecording } from './recording.ts'

function begin(env: Record<string, string>): { recording: Recording; file: string } {
  const home = mkdtempSync(join(tmpdir(), 'recording-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const file = join(home, 'answer')
  const question = { text: 'list', file }
  const load = (id: string) => (id === 'node:fs' ? files : undefined)
  return { recording: startRecording({ question, home, env, load, lookAt, begun: Date.now() }), file }
}

describe('a recording', () => {
  it('notes variables however they are looked at', () => {
    const { recording, file } = begin({ READ: 'a', HELD: 'b', OWN: 'c', OTHER: 'd' })
    expect(recording.env.READ).toBe('a')
    expect(['HELD' in recording.env, 'NOT_HELD' in recording.env]).toEqual([true, false])
    expect(Object.hasOwn(recording.env, 'OWN')).toBe(true)
    expect(Object.hasOwn(recording.env, 'NOT_OWN')).toBe(false)
    recording.keep()
    const variables = { READ: 'a', HELD: 'b', NOT_HELD: null, OWN: 'c', NOT_OWN: null }
    expect(readAnswer(file)?.variables).toEqual(variables)
  })

  it.each([
    ['all variables', ({ env }: Recording) => Object.keys(env)],
    ['a secret', ({ env }: Recording) => env.A_TOKEN],
    ['a process', (recording: Recording) => recording.module('node:child_process')],
    ['a terminal', (recording: Recording) => recording.doubt()],
  ])('keeps nothing that depends on %s', (_, look) => {
    const { recording, file } = begin({ A_TOKEN: 'hush' })
    look(recording)
    recording.keep()
    expect(existsSync(file)).toBe(false)
  })
})
