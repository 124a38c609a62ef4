// Which of our own files lie in one chunk. Opening many small files costs more than it saves, and so does loading what
// is not used: what commands ordinarily need is together, and what they import only in case is apart. `npm run
// record-chunks` finds out which is which. A file that is in no record is found in time all the same.
import { readFileSync } from 'node:fs'
import { importedBy } from './bundle.mjs'

export const RECORD = new URL('ordinary.json', import.meta.url)
export const RECORDED = ['list', 'install', 'call', 'serve']

/** A function from the name of a file to that of its chunk. */
export async function layChunks() {
  const ordinary = JSON.parse(readFileSync(RECORD, 'utf8'))
  const always = new Set(await importedBy('main.ts'))
  // Not with main.ts, which is still running when they are needed.
  const seldom = new Map([['main', [...always]]])
  for (const command of RECORDED) seldom.set(command, await importedBy(`cli/commands/${command}.ts`))
  // A door that they load for a few of the things behind it.
  seldom.set('kit', await importedBy('platform/sandbox/kit.ts'))
  const beforeListing = new Set(seldom.get('serve'))
  seldom.set('after', await importedBy('app/after-listing.ts'))
  return (file) => {
    const users = RECORDED.filter((command) => ordinary[command].includes(file))
    if (users.length > 0 && always.has(file)) return 'start'
    if (users.includes('list')) return 'core'
    // A server answers with its list first, and loads what calls need then.
    const isFirst = users.includes('serve') && beforeListing.has(file)
    if (users.length > 1) return isFirst ? 'shared' : 'running'
    if (users.length === 1) return users[0] === 'serve' && !isFirst ? 'after' : users[0]
    for (const [name, files] of seldom) if (files.includes(file)) return `seldom-${name}`
    return undefined
  }
}
