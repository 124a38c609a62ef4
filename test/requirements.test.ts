import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const PAGE = join(ROOT, 'docs/requirements.md')

/** Title of a test → the requirements it says it proves: `it('Q13, Q88: ends a tool at its timeout', …)`. */
const TITLE = /\b(?:it|test|describe)(?:\.[a-zA-Z]+)*\s*(?:\([^'"`]*\)\s*)?\(\s*['"`]((?:Q\d+,? ?)+):/g

it('docs/requirements.md names the tests that prove each requirement', async () => {
  const proofs = new Map<string, Set<string>>()
  for (const file of testFiles(join(ROOT, 'src')).concat(testFiles(join(ROOT, 'test')))) {
    for (const [, names = ''] of readFileSync(file, 'utf8').matchAll(TITLE)) {
      for (const name of names.match(/Q\d+/g) ?? []) {
        proofs.set(name, (proofs.get(name) ?? new Set()).add(relative(ROOT, file)))
      }
    }
  }
  expect(proofs.size).toBeGreaterThan(20)

  const page = readFileSync(PAGE, 'utf8')
  const listed = new Set(page.match(/^\| Q\d+(?= \|)/gm)?.map((cell) => cell.slice(2)))
  expect([...proofs.keys()].filter((name) => !listed.has(name))).toEqual([])

  const rebuilt = page.replace(/^(\| (Q\d+) \|.*\| )[^|]*\|$/gm, (_line, kept: string, name: string) => {
    const files = [...(proofs.get(name) ?? [])].sort().map((file) => `\`${file}\``)
    return `${kept}${files.join(', ') || '–'} |`
  })
  await expect(rebuilt).toMatchFileSnapshot(PAGE)
})

function testFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|contract)\.ts$/.test(name))
    .map((name) => join(folder, name))
}
