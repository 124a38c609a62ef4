import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createLineBuffer, type LogSink, openSecretFile } from '../platform/index.ts'
import { openSecrets } from './secrets.ts'
import type { World } from './world.ts'

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'orla-secrets-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

// Nothing but the environment is asked.
const worldWith = (env: World['env']) => ({ env }) as World

it('Q100: a variable wins over what is stored, unless it is empty', async () => {
  const home = makeHome()
  const secretOf = (env: World['env'], name: string) => openSecrets(worldWith(env), { home }).of(name)
  await openSecretFile(home).set('TOKEN', 'stored')
  expect(secretOf({ TOKEN: 'given' }, 'TOKEN')).toBe('given')
  expect(secretOf({ TOKEN: '' }, 'TOKEN')).toBe('stored')
  expect(secretOf({}, 'TOKEN')).toBe('stored')
  expect(secretOf({}, 'OTHER')).toBeUndefined()
  for (const name of ['constructor', '__proto__', 'toString']) expect(secretOf({}, name)).toBeUndefined()
  writeFileSync(join(home, 'secrets.json'), '{')
  expect(secretOf({}, 'TOKEN')).toBeUndefined()
})

it('the log shows what was handed out in no spelling', async () => {
  const home = makeHome()
  const written: string[] = []
  const target: LogSink = {
    colours: false,
    write: (lines) => void written.push(lines),
    add: (make) => {
      const lines = createLineBuffer(16)
      make(lines)
      lines.empty((bytes) => written.push(Buffer.from(bytes).toString()) > 0)
    },
    reopen() {},
    close() {},
  }
  const secrets = openSecrets(worldWith({ OUTSIDE: 'from outside' }), { home })
  const sink = secrets.keptFrom(target)
  const value = 'p&ss "wörd"'
  await openSecretFile(home).set('TOKEN', value)
  secrets.of('TOKEN')
  secrets.of('OUTSIDE')
  const spellings = [
    value,
    JSON.stringify(value),
    encodeURIComponent(value),
    new URLSearchParams({ value }).toString(),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64url'),
    'from outside',
  ]
  for (const spelling of spellings) sink.write(`before ${spelling} after\n`)
  const hidden = [
    'before [secret] after',
    'before "[secret]" after',
    'before [secret] after',
    'before value=[secret] after',
    'before [secret] after',
    'before [secret] after',
    'before [secret] after',
    '',
  ].join('\n')
  expect(written.splice(0).join('')).toBe(hidden)
  sink.add((lines) => {
    for (const spelling of spellings) lines.text(`before ${spelling} after\n`)
  })
  expect(written.join('')).toBe(hidden)
})
