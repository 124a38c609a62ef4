// The text of a PDF. The arguments are the last word, as one JSON object.
import { readFileSync } from 'node:fs'
import { argv } from 'node:process'
import { readObjects } from './objects.mjs'
import { textOf } from './text.mjs'

const { path } = JSON.parse(argv.at(-1))
try {
  const objects = readObjects(readFileSync(path).toString('latin1'))
  const pages = pagesOf(objects).map((page) => textOf(contentOf(page, objects)))
  console.log(JSON.stringify({ content: pages.join('\f'), pages: pages.length }))
} catch (error) {
  console.error(`${path} cannot be read: ${error.message}`)
  process.exitCode = 1
}

/** The pages in their order: the tree of /Kids from the catalog down. */
function pagesOf(objects) {
  const catalog = [...objects.values()].find(({ head }) => /\/Type\s*\/Catalog\b/.test(head))
  const root = catalog && /\/Pages\s+(\d+)\s+\d+\s+R/.exec(catalog.head)
  if (!root) throw new Error('it has no pages')
  const seen = new Set()
  const walk = (number) => {
    const node = objects.get(number)
    if (node === undefined || seen.has(number)) return []
    seen.add(number)
    const kids = /\/Kids\s*\[([^\]]*)\]/.exec(node.head)
    return kids ? references(kids[1]).flatMap(walk) : [node]
  }
  return walk(Number(root[1]))
}

/** A page has one stream of content, or a list of them. */
function contentOf({ head }, objects) {
  const [, list, one] = /\/Contents\s*(?:\[([^\]]*)\]|(\d+\s+\d+\s+R))/.exec(head) ?? []
  return references(list ?? one ?? '')
    .map((number) => objects.get(number)?.stream() ?? '')
    .join('\n')
}

function references(text) {
  return [...text.matchAll(/(\d+)\s+\d+\s+R/g)].map(([, number]) => Number(number))
}
