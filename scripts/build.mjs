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
// What finding tools takes: nearly every command does.
const SHARED =
  /\/src\/(catalog\/(?!statistics)|formats\/[^/]+$|app\/(config|where|offered-tools)|packages\/pin-words|platform\/(files|head|scan|file-|ignored|path-order|staging|pid|folders|program-file|sync|folder-lock|new-file))/
// What starting programs and sending requests takes.
const PROCESSES = /\/src\/(platform\/(process\/|address|hop|http-)|app\/starter)/
// What installing, updating and removing packages takes.
const PACKAGES =
  /\/src\/(packages\/|platform\/(git\/|archive\/|tree|path-guard|copy-tree)|app\/packages\/(?!capsule|scaffold)|cli\/(conversation|network|plan-json))/

rmSync(dist, { recursive: true, force: true })
const bundle = await rolldown({
  cwd: root,
  input: { orla: 'src/boot.ts', main: 'src/main.ts' },
  platform: 'node',
  // Our own modules do nothing when they load, so a door brings in only what is used of its room.
  treeshake: { moduleSideEffects: (id) => !id.startsWith(join(root, 'src')) || ENTRIES.test(id) },
  plugins: [lazyBuiltins()],
  transform: { define: { __ORLA_VERSION__: JSON.stringify(version) } },
})
const { output } = await bundle.write({
  dir: dist,
  format: 'cjs',
  // A name tells the content: what is kept of a file is never taken for another one.
  entryFileNames: ({ name }) => (name === 'orla' ? 'orla.cjs' : 'chunks/[name]-[hash].cjs'),
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  minify: true,
  // What most commands share is one file: opening many small ones costs more than it saves.
  codeSplitting: {
    groups: [
      { name: 'words', test: /\/src\/(model\/|app\/world)/, priority: 2 },
      { name: 'core', test: SHARED, minShareCount: 4, priority: 1 },
      { name: 'process', test: PROCESSES, minShareCount: 2, priority: 1 },
      { name: 'packages', test: PACKAGES, minShareCount: 2, priority: 0 },
    ],
  },
})
await bundle.close()

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

/**
 * Node's own modules load when something of them is used, not when code that may use them does: crypto, net and
 * child_process alone take a third of the time of a small command.
 */
function lazyBuiltins() {
  const costly =
    'child_process|crypto|dns|fs/promises|http|https|net|os|readline|readline/promises|stream|stream/promises|timers/promises|tls|zlib'
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
