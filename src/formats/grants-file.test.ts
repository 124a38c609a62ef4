import { expect, it } from 'vitest'
import type { Grant } from '../model/index.ts'
import { formatGrants, parseGrants } from './grants-file.ts'

const GRANT: Grant = {
  name: 'fs',
  version: '1.10.0',
  digest: 'abc',
  pin: { kind: 'directory', path: '/src/fs' },
  permissions: ['network'],
  unenforced: [],
  accepted_at: '2026-11-15T10:00:00.000Z',
  how: '--yes',
}

it('Q90: grants come back as they were written, in one order', () => {
  const { pin: _, ...bare } = GRANT
  const grants: Grant[] = [GRANT, { ...bare, version: '1.9.0' }, { ...bare, name: 'a', how: 'elicitation' }]
  const text = formatGrants(grants)
  expect(parseGrants(text, 'grants.json').map(({ name, version }) => `${name} ${version}`)).toEqual([
    'a 1.10.0',
    'fs 1.9.0',
    'fs 1.10.0',
  ])
  expect(formatGrants(parseGrants(text, 'grants.json').toReversed())).toBe(text)
})

it.each([
  ['', /is damaged/],
  ['{}', /is damaged/],
  ['{"v":2,"grants":[]}', /newer Orla/],
  [formatGrants([{ ...GRANT, name: '../fs' }]), /not the name of a package/],
  [formatGrants([{ ...GRANT, accepted_at: 'once' }]), /not a time/],
  [formatGrants([GRANT]).replace('--yes', 'somehow'), /is damaged/],
  [formatGrants([GRANT]).replace('"network"', '7'), /is damaged/],
])('Q90: %j grants nothing', (text, words) => {
  expect(() => parseGrants(text, 'grants.json')).toThrow(words)
})
