// Builds dist/: the program, the launcher, and the two second names.
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildLauncher } from './build-launcher.mjs'
import { bundle, root } from './bundle.mjs'
import { layChunks } from './chunks.mjs'

const dist = join(root, 'dist')

await bundle(dist, await layChunks())

for (const name of ['mcp', 'mcpkg']) {
  writeFileSync(join(dist, `${name}.cjs`), "#!/usr/bin/env node\nrequire('./orla.cjs')\n")
}
for (const name of ['orla', 'mcp', 'mcpkg']) chmodSync(join(dist, `${name}.cjs`), 0o755)

if (process.platform === 'linux' && !buildLauncher(join(dist, 'launcher'))) {
  process.stderr.write('No C compiler (cc): built without the launcher, programs are started with Node.\n')
}
