// Builds dist/: the entry, the program in chunks that load only when a command needs them, the launcher, and the two
// second names.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { buildLauncher } from './build-launcher.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const dist = join(root, 'dist')
const ENTRIES = /\/src\/(boot|main)\.ts$/
const options = {
  cwd: root,
  platform: 'node',
  // Our own modules do nothing when they load, so a door brings in only what is used of its room.
  treeshake: { moduleSideEffects: (id) => !id.startsWith(join(root, 'src')) || ENTRIES.test(id) },
  plugins: [lazyBuiltins()],
  transform: { define: { __ORLA_VERSION__: JSON.stringify(version) } },
}

// Opening many small files costs more than it saves: what a command always loads is in as few as possible, and what it
// shares with others is in theirs.
const listing = await loadedBy('src/cli/commands/list.ts')
const calling = await loadedBy('src/cli/commands/call.ts')
const installing = await loadedBy('src/cli/commands/install.ts')
const beyond = (modules, ...known) => modules.filter((id) => !known.some((others) => others.includes(id)))
const shared = (modules) => modules.filter((id) => calling.includes(id) || installing.includes(id))
const serving = beyond(await loadedBy('src/cli/commands/serve.ts'), listing)
const common = shared(serving)
const running = shared(beyond(await loadedBy('src/app/after-listing.ts'), listing, serving))
const packages = beyond(installing, listing, common, running)
const among = (modules) => (id) => modules.includes(id)

rmSync(dist, { recursive: true, force: true })
const bundle = await rolldown({ ...options, input: { orla: 'src/boot.ts', main: 'src/main.ts' } })
const { output } = await bundle.write({
  dir: dist,
  format: 'cjs',
  // A name tells the content: what is kept of a file is never taken for another one.
  entryFileNames: ({ name }) => (name === 'orla' ? 'orla.cjs' : 'chunks/[name]-[hash].cjs'),
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  minify: true,
  codeSplitting: {
    groups: [
      { name: 'words', test: /\/src\/(model\/|app\/world)/, priority: 3 },
      { name: 'core', test: among(listing), priority: 2 },
      { name: 'common', test: among(common), priority: 2 },
      { name: 'serving', test: among(serving), priority: 1 },
      { name: 'running', test: among(running), priority: 1 },
      { name: 'packages', test: among(packages), priority: 0 },
    ],
  },
})
await bundle.close()

for (const { fileName, code } of output) {
  if (code !== undefined) writeFileSync(join(dist, fileName), asAscii(code))
}

const main = output.find(({ name }) => name === 'main').fileName
const entry = join(dist, 'orla.cjs')
writeFileSync(entry, readFileSync(entry, 'utf8').replace('./main.cjs', `./${main}`))

for (const name of ['mcp', 'mcpkg']) {
  writeFileSync(join(dist, `${name}.cjs`), "#!/usr/bin/env node\nrequire('./orla.cjs')\n")
}
for (const name of ['orla', 'mcp', 'mcpkg']) chmodSync(join(dist, `${name}.cjs`), 0o755)

if (process.platform === 'linux' && !buildLauncher(join(dist, 'launcher'))) {
  process.stderr.write('No C compiler (cc): built without the launcher, programs are started with Node.\n')
}

/** A single character beyond Latin 1 doubles what a file takes in memory, and slows down its reading. */
function asAscii(code) {
  const isRaw = /String\.raw`[^`]*[^\x00-\x7f][^`]*`/.test(code)
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return isRaw ? code : code.replace(/[^\x00-\x7f]/g, escaped)
}

/** The modules that a file loads at once, not when it comes to need them. */
async function loadedBy(file) {
  const part = await rolldown({ ...options, input: file })
  const { output } = await part.generate({ format: 'cjs' })
  await part.close()
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]))
  const all = new Set(output.filter(({ isEntry }) => isEntry))
  // A set that grows while it is walked is walked to its end.
  for (const { imports } of all) for (const name of imports) if (chunks.has(name)) all.add(chunks.get(name))
  return [...all].flatMap(({ moduleIds }) => moduleIds)
}

/**
 * Node's own modules load when something of them is used, not when code that may use them does: crypto, net and
 * child_process alone take a third of the time of a small command.
 */
function lazyBuiltins() {
  const costly =
    'child_process|crypto|dns|dns/promises|fs/promises|http|https|module|net|os|readline|readline/promises|stream|stream/promises|timers/promises|tls|zlib'
  const eager = new RegExp(`= ?require\\(["\`](node:(?:${costly}))["\`]\\)`, 'g')
  const later =
    'const $later = (name) => { let loaded; return new Proxy({}, { get: (_, key) => (loaded ??= require(name))[key] }) };\n'
  return {
    name: 'lazy-builtins',
    renderChunk(code) {
      const lazy = code
        .replace(eager, '= $later("$1")')
        // Code that V8 kept has lost who it belongs to, and with it the right to import.
        .replace(/\bimport\(["'`](node:[\w/]+)["'`]\)/g, 'Promise.resolve(require("$1"))')
      if (lazy === code) return null
      const [, shebang = '', rest] = /^(#!.*\n)?([\s\S]*)$/.exec(lazy)
      return `${shebang}${later}${rest}`
    },
  }
}
