// The program as files: the entry, and chunks that load only when a command needs them.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = join(root, 'src')
const ENTRIES = /\/src\/(boot|main|answers\/recording)\.ts$/
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const options = {
  cwd: root,
  platform: 'node',
  // Our own modules do nothing when they load, so a door brings in only what is used of its room.
  treeshake: { moduleSideEffects: (id) => !id.startsWith(source) || ENTRIES.test(id) },
  plugins: [lazyLoading()],
  preserveEntrySignatures: 'allow-extension',
  // What is imported so in one place loads late in all others too.
  checks: { ineffectiveDynamicImport: false },
  transform: { define: { __ORLA_VERSION__: JSON.stringify(version) } },
}

// A name tells the content: what is kept of a file is never taken for another one.
const NAMES = { entryFileNames: 'chunks/[name]-[hash].cjs', chunkFileNames: 'chunks/[name]-[hash].cjs' }

/** Which of our own files this is, as in `app/config.ts`; undefined for what comes from elsewhere, and for the entries. */
export function nameOf(id) {
  return id.startsWith(source) && !ENTRIES.test(id) ? id.slice(source.length + 1) : undefined
}

/** Writes it all anew. `chunkOf` gets the name of one of our own files and says in which chunk it is. */
export async function bundle(dist, chunkOf) {
  rmSync(dist, { recursive: true, force: true })
  const built = await rolldown({ ...options, input: { main: 'src/main.ts' } })
  const name = (id) => {
    const own = nameOf(id)
    return (own === undefined ? undefined : chunkOf(own)) ?? null
  }
  const { output } = await built.write({
    dir: dist,
    format: 'cjs',
    ...NAMES,
    minify: true,
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name, debugName: 'own' }] },
  })
  await built.close()
  for (const { fileName, code } of output) {
    if (code !== undefined) writeFileSync(join(dist, fileName), wrapped(asAscii(fileName, code)))
  }
  const main = output.find(({ isEntry }) => isEntry)
  // It comes before all others: what it shared with one of them would be loaded before its time.
  const recording = await bundleAlone('recording', 'src/answers/recording.ts')
  writeFileSync(join(dist, recording.fileName), wrapped(recording.code))
  const boot = await bundleAlone('orla', 'src/boot.ts')
  const code = boot.code
    .replace('./main.cjs', `./${basename(main.fileName)}`)
    .replace('./recording.cjs', `./${basename(recording.fileName)}`)
  writeFileSync(join(dist, 'orla.cjs'), code)
}

/** One file that needs none of the others. */
async function bundleAlone(name, input) {
  const built = await rolldown({ ...options, input: { [name]: input } })
  const { output } = await built.generate({ format: 'cjs', ...NAMES, minify: true })
  await built.close()
  const { fileName, code, imports, dynamicImports } = output.find(({ isEntry }) => isEntry)
  // Doors that it enters import more, late, than it uses.
  const others = [...imports, ...dynamicImports].filter((part) => !part.startsWith('node:'))
  if (others.length > 0) throw new Error(`${input} needs another file: ${others.join(', ')}`)
  return { fileName, code: asAscii(fileName, code) }
}

/** Our own files that another one of them imports, and those import: not what loads when someone comes to need it. */
export async function importedBy(file) {
  const part = await rolldown({ ...options, input: join(source, file) })
  const { output } = await part.generate({ format: 'cjs' })
  await part.close()
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]))
  const all = new Set(output.filter(({ isEntry }) => isEntry))
  // A set that grows while it is walked is walked to its end.
  for (const { imports } of all) for (const name of imports) if (chunks.has(name)) all.add(chunks.get(name))
  return [...all].flatMap(({ moduleIds }) => moduleIds.map(nameOf)).filter(Boolean)
}

/** A single character beyond Latin 1 doubles what a file takes in memory, and src/boot.ts reads nothing but ASCII. */
function asAscii(fileName, code) {
  const raw = /String\.raw`[^`]*[^\x00-\x7f][^`]*`/.exec(code)
  if (raw) throw new Error(`${fileName}: ${raw[0]} cannot be written in ASCII`)
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** As src/boot.ts calls it: making one text of three takes longer than reading it. */
function wrapped(code) {
  return `(function(exports,require,module){${code}\n})`
}

/**
 * Node's own modules load when something of them is used, not when code that may use them does: crypto, net and
 * child_process alone take a third of the time of a small command. So do chunks.
 */
function lazyLoading() {
  const costly =
    'child_process|crypto|dns|dns/promises|fs/promises|http|https|module|net|os|readline|readline/promises|stream|stream/promises|timers/promises|tls|zlib'
  const builtin = new RegExp(`= ?require\\(["\`](node:(?:${costly}))["\`]\\)`, 'g')
  const chunk = /= ?require\(["`](\.\/[^"`]+)["`]\)/g
  const later =
    'const $later = (name) => { let loaded; return new Proxy({}, { get: (_, key) => (loaded ??= require(name))[key] }) };\n'
  // Once it is loaded nothing stands between the two any more.
  const link =
    'const $link = (name) => { const link = Object.create(new Proxy({}, { get(_, key) { const loaded = require(name); Object.setPrototypeOf(link, loaded); return loaded[key] } })); return link };\n'
  return {
    name: 'lazy-loading',
    renderChunk(code) {
      const lazy = code
        .replace(builtin, '= $later("$1")')
        .replace(chunk, '= $link("$1")')
        // Code that V8 kept has lost who it belongs to, and with it the right to import.
        .replace(/\bimport\(["'`](node:[\w/]+)["'`]\)/g, 'Promise.resolve(require("$1"))')
      if (lazy === code) return null
      const [, shebang = '', rest] = /^(#!.*\n)?([\s\S]*)$/.exec(lazy)
      return `${shebang}${later}${link}${rest}`
    },
  }
}
