import { expect, it } from 'vitest'
import { searchIndexes } from './search.ts'

it('filters whatever the case of the letters', async () => {
  const entry = {
    name: 'http',
    description: 'Requests',
    repository: '/x',
    keywords: ['web'],
    capabilities: ['Fetch'],
    language: 'Go',
    platforms: ['linux-x64'],
  }
  const index = { registry: { name: 'main', url: '/r' }, entries: [entry], problems: [], isCopy: false }
  const find = (filters: Record<string, string>) => searchIndexes([index], '', filters)
  for (const filters of [
    { keyword: 'WEB' },
    { capability: 'fetch' },
    { language: 'go' },
    { platform: 'Linux-X64' },
  ])
    expect(await find(filters)).toHaveLength(1)
  expect(await find({ keyword: 'we' })).toEqual([])
})
