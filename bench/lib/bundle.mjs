import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** A program of the bench in a form that Node runs: what it imports is Orla's own code, in TypeScript. */
export async function bundleProgram(name, dir) {
  const input = fileURLToPath(new URL(`../programs/${name}.mjs`, import.meta.url))
  const built = await rolldown({ input, platform: 'node' })
  await built.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' })
  await built.close()
  return join(dir, `${name}.mjs`)
}
