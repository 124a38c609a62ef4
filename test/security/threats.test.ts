import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const ROW = /^\| (?<threat>[^|]+) \| (?<stop>[^|]+) \| `(?<file>[^`]+\.test\.ts)` › (?<title>[^|]+) \|$/

const table = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').split('## Threats')[1] ?? ''
const rows = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (threat|---)/.test(line))

it('has a table of threats', () => {
  expect(rows.length).toBeGreaterThan(30)
})

it.each(rows)('names a test that is there: %s', (row) => {
  const { file = '', title = '' } = ROW.exec(row)?.groups ?? {}
  expect(existsSync(join(ROOT, file)), `${row}: ${file}`).toBe(true)
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title)
})
