import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NODE_BOOTSTRAP } from './node-bootstrap.ts'

/** The file that Node loads before a script: in a folder of its own that nobody else can write to. */
export interface BootstrapFile {
  /** Written when it is first asked for. */
  path(): string
  remove(): void
}

export function createBootstrapFile(): BootstrapFile {
  let folder: string | undefined
  return {
    path() {
      folder ??= writeFiles()
      return join(folder, MODULES, 'bootstrap.cjs')
    },
    remove() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
      folder = undefined
    },
  }
}

/** Node warns of what is new in it only outside of folders with this name. */
const MODULES = 'node_modules'

function writeFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), 'orla-warm-'))
  mkdirSync(join(folder, MODULES))
  writeFileSync(join(folder, MODULES, 'bootstrap.cjs'), NODE_BOOTSTRAP)
  writeFileSync(join(folder, MODULES, 'empty.mjs'), 'export {}\n')
  return folder
}
