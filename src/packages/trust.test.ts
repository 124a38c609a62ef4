import { describe, expect, it } from 'vitest'
import { trustAddress, trustSource } from './trust.ts'

describe('Q94: the source that a key counts for', () => {
  it.each([
    'https://example.com/team/registry',
    'https://example.com/team/registry/',
    'https://example.com/team/registry.git',
    'https://example.com:443/team/registry.git/',
    'HTTPS://EXAMPLE.com/team/registry',
    'https://someone:secret@example.com/team/registry.git',
  ])('is one place, also written %s', (address) => {
    expect(trustAddress(address)).toBe('https://example.com/team/registry')
    const pin = { kind: 'git', url: 'https://example.com/x', tag: 'v1.0.0', commit: 'c' } as const
    expect(trustSource({ ...pin, registry: address })).toBe('https://example.com/team/registry')
    expect(trustSource({ ...pin, url: address })).toBe('https://example.com/team/registry')
  })

  it.each([
    ['https://example.com/team/registry', 'https://example.com/Team/registry'],
    ['https://example.com/registry', 'https://example.org/registry'],
    ['https://example.com/registry', 'https://example.com:8443/registry'],
    ['https://example.com/registry', 'http://example.com/registry'],
    ['/srv/registry', '/srv/registry.git'],
    ['git@example.com:a/b', 'git@example.com:a/c'],
  ])('is another one: %s and %s', (one, other) => {
    expect(trustAddress(one)).not.toBe(trustAddress(other))
  })
})
