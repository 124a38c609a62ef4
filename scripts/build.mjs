// Builds dist/: the program, the launcher, the looker, and the two second names.
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildLauncher } from './build-launcher.mjs'
import { buildLooker } from './build-looker.mjs'
import { bundle, root } from './bundle.mjs'
import { layChunks } from './chunks.mjs'

const dist = join(root, 'dist')

await bundle(dist, await layChunks())

for (const name of ['mcp', 'mcpkg']) {
  writeFileSync(join(dist, `${name}.cjs`), "#!/usr/bin/env node\nrequire('./orla.cjs')\n")
}
for (const name of ['orla', 'mcp', 'mcpkg']) chmodSync(join(dist, `${name}.cjs`), 0o755)

if (process.platform === 'linux') {
  const isBuilt = buildLauncher(join(dist, 'launcher')) && buildLooker(join(dist, 'looker.node'))
  if (!isBuilt) {
    process.stderr.write(
      'No C compiler (cc): built without the launcher and the looker. Programs are started and files are looked at with Node.\n',
    )
  }
}
