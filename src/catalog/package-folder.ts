import { createHash } from 'node:crypto'
import { join } from 'node:path'
import {
  loadYaml,
  parseReceipt,
  parseShebang,
  readManifest,
  readOrlaToolJson,
  type Shebang,
} from '../formats/index.ts'
import type { Manifest, Pin, Problem } from '../model/index.ts'
import { isLink, lookAtProgram, readTextIfThere } from '../platform/index.ts'

/** A folder that is a package and can be used. */
export interface PackageFolder {
  readonly path: string
  readonly manifest: Manifest
  /** Of the entrypoint; null for a binary. */
  readonly shebang: Shebang | null
  readonly pin?: Pin
  readonly linked: boolean
  /** Changes whenever what is run or told about it changes. */
  readonly digest: string
}

export interface FolderReading {
  /** Absent when it cannot be used; a problem says why. */
  readonly folder?: PackageFolder
  readonly problems: readonly Problem[]
}

/** Remembers what it read: a folder whose manifest and entrypoint are as before is the same object. */
export function createFolderReader(): (path: string) => Promise<FolderReading> {
  const known = new Map<string, { readonly key: string; readonly reading: FolderReading }>()
  return async (path) => {
    const source = readSource(path)
    const old = known.get(path)
    if (old?.key === source.key) return old.reading
    const reading = await readFolder(path, source)
    known.set(path, { key: source.key, reading })
    return reading
  }
}

interface Source {
  readonly file: string
  readonly format: 'tool.yaml' | 'orla-tool.json'
  readonly text: string
  readonly receipt: string | undefined
  readonly key: string
}

/** tool.yaml wins over orla-tool.json. */
function readSource(path: string): Source {
  const receipt = readTextIfThere(join(path, '.orla-receipt.json'))
  for (const format of ['tool.yaml', 'orla-tool.json'] as const) {
    const file = join(path, format)
    const text = readTextIfThere(file)
    if (text !== undefined) return { file, format, text, receipt, key: `${receipt ?? ''}\0${text}` }
  }
  return { file: join(path, 'tool.yaml'), format: 'tool.yaml', text: '', receipt, key: '' }
}

async function readFolder(path: string, source: Source): Promise<FolderReading> {
  const receipt = source.receipt === undefined ? undefined : parseReceipt(source.receipt)
  // The receipt carries the manifest as it was read at the install: YAML need not be parsed again.
  const isUntouched = receipt !== undefined && receipt.manifest_sha256 === sha256(source.text)
  const { manifest, problems } = isUntouched
    ? { manifest: receipt.manifest, problems: [] }
    : await parse(source)
  if (manifest === undefined) return { problems }
  const program = lookAtProgram(join(path, manifest.entrypoint))
  const shebang = program.kind === 'file' ? parseShebang(program.firstLine) : null
  const wrong =
    program.kind !== 'file'
      ? `is ${NOT_A_FILE[program.kind]}`
      : !program.executable && shebang === null
        ? 'is not executable and has no #! line'
        : undefined
  if (wrong !== undefined) {
    return {
      problems: [
        ...problems,
        { file: source.file, message: `its entrypoint ${manifest.entrypoint} ${wrong}` },
      ],
    }
  }
  const digest =
    receipt?.digest ?? sha256(`${source.text}\0${program.kind === 'file' ? program.mtimeMs : ''}`)
  const folder: PackageFolder = {
    path,
    manifest,
    shebang,
    linked: isLink(path),
    digest: `${path}:${digest}`,
    ...(receipt === undefined ? {} : { pin: receipt.pin }),
  }
  return { folder, problems }
}

const NOT_A_FILE = { missing: 'not there', folder: 'a folder', other: 'not a file that can be read' } as const

async function parse(source: Source): Promise<{ manifest?: Manifest; problems: readonly Problem[] }> {
  const read = source.format === 'tool.yaml' ? readManifest : readOrlaToolJson
  return read(source.text, source.file, await loadYaml())
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
