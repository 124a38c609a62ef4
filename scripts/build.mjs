// Builds dist/: a small entry, chunks that load only when a command needs them, and the two second names.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
const bundle = await rolldown({
  cwd: root,
  input: { orla: 'src/main.ts' },
  platform: 'node',
  transform: { define: { __ORLA_VERSION__: JSON.stringify(version) } },
})
await bundle.write({
  dir: dist,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  minify: true,
})
await bundle.close()

for (const name of ['mcp', 'mcpkg']) {
  writeFileSync(join(dist, `${name}.cjs`), "#!/usr/bin/env node\nrequire('./orla.cjs')\n")
}
for (const name of ['orla', 'mcp', 'mcpkg']) chmodSync(join(dist, `${name}.cjs`), 0o755)
