import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSecretFile } from './secret-file.ts'

function makeHome(): string {
  const base = mkdtempSync(join(tmpdir(), 'orla-secrets-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  return join(base, 'home')
}

it('Q100: keeps secrets in a file that only its owner can read', async () => {
  const home = makeHome()
  const secrets = openSecretFile(home)
  expect(secrets.get('TOKEN')).toBeUndefined()
  await secrets.set('TOKEN', 'a"b\nc')
  expect(statSync(join(home, 'secrets.json')).mode & 0o777).toBe(0o600)
  // Another process sees it at once, and so does this one what the other changes.
  const other = openSecretFile(home)
  expect(other.get('TOKEN')).toBe('a"b\nc')
  await other.set('KEY', 'k')
  expect(secrets.names()).toEqual(['KEY', 'TOKEN'])
  expect(await secrets.remove('TOKEN')).toBe(true)
  expect(await secrets.remove('TOKEN')).toBe(false)
  expect(other.names()).toEqual(['KEY'])
})

it('loses none of several that are stored at once', async () => {
  const home = makeHome()
  const names = ['A', 'B', 'C', 'D', 'toString', '__proto__']
  await Promise.all(names.map((name) => openSecretFile(home).set(name, `value of ${name}`)))
  const secrets = openSecretFile(home)
  expect(secrets.names().toSorted()).toEqual([...names].sort())
  for (const name of names) expect(secrets.get(name)).toBe(`value of ${name}`)
  expect(secrets.get('constructor')).toBeUndefined()
})

it('says that a file is damaged without telling what is in it', async () => {
  const home = makeHome()
  await openSecretFile(home).set('TOKEN', 'hidden')
  const file = join(home, 'secrets.json')
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -4))
  const ask = () => openSecretFile(home).get('TOKEN')
  expect(ask).toThrow('is damaged')
  expect(ask).not.toThrow('hidden')
})
