import { expect, it } from 'vitest'
import { listEntries } from './entry-list.ts'
import { searchIndexes } from './search.ts'

it('filters whatever the case of the letters', () => {
  const entry = {
    name: 'http',
    description: 'Requests',
    repository: '/x',
    keywords: ['web'],
    capabilities: ['Fetch'],
    language: 'Go',
    platforms: ['linux-x64'],
  }
  const index = { registry: { name: 'main', url: '/r' }, entries: listEntries([entry]) }
  const find = (filters: Record<string, string>) => searchIndexes([index], '', filters).hits
  for (const filters of [
    { keyword: 'WEB' },
    { capability: 'fetch' },
    { language: 'go' },
    { platform: 'Linux-X64' },
  ])
    expect(find(filters)).toHaveLength(1)
  expect(find({ keyword: 'we' })).toEqual([])
})
