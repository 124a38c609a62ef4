import { join } from 'node:path'
import {
  loadYaml,
  mcpkgAsManifest,
  parseReceipt,
  parseShebang,
  readManifest,
  readOrlaToolJson,
  type SchemaJudges,
  type Shebang,
} from '../formats/index.ts'
import { type Manifest, type McpkgManifest, type Problem, type Receipt, sha256 } from '../model/index.ts'
import { isLink, lookAtProgram, readTextIfThere } from '../platform/index.ts'
import { readMcpkgSource } from './mcpkg-source.ts'

/** A folder that is a package and can be used. */
export interface PackageFolder {
  readonly path: string
  readonly manifest: Manifest
  /** How it runs, when it is an .mcpkg. */
  readonly mcpkg?: McpkgManifest
  /** Of the entrypoint; null for a binary. */
  readonly shebang: Shebang | null
  /** Of what was installed; a folder placed by hand has none, and a link neither. */
  readonly receipt?: Receipt
  readonly linked: boolean
  /** Changes whenever what is run or told about it changes. */
  readonly digest: string
}

export interface FolderReading {
  /** Absent when it cannot be used; a problem says why. */
  readonly folder?: PackageFolder
  readonly problems: readonly Problem[]
  /** What was installed there, when someone changed its manifest since. */
  readonly changed?: { readonly name: string; readonly version: string }
}

/** Remembers what it read: a folder whose manifest and entrypoint are as before is the same object. */
export function createFolderReader(): (path: string, schemas?: SchemaJudges) => Promise<FolderReading> {
  const known = new Map<string, Known>()
  return async (path, schemas) => {
    const source = readSource(path)
    if ('message' in source) return { problems: [source] }
    const old = known.get(path)
    if (old?.key === source.key && isAsBefore(path, old)) return old.reading
    const reading = await readFolder(path, source, schemas)
    known.set(path, { key: source.key, reading, changedAt: changedAt(path, reading) })
    return reading
  }
}

interface Known {
  readonly key: string
  readonly reading: FolderReading
  readonly changedAt: number | undefined
}

/** Of an installed copy the manifest says enough; someone may be working on another one. */
function isAsBefore(path: string, { reading, changedAt: before }: Known): boolean {
  return before === undefined || before === changedAt(path, reading)
}

function changedAt(path: string, { folder }: FolderReading): number | undefined {
  if (folder === undefined || folder.receipt !== undefined || folder.mcpkg !== undefined) return undefined
  const program = lookAtProgram(join(path, folder.manifest.entrypoint))
  return program.kind === 'file' ? program.mtimeMs : 0
}

interface Source {
  readonly file: string
  readonly format: (typeof FORMATS)[number]
  readonly text: string
  readonly receipt: string | undefined
  readonly key: string
}

/** The first of them that is there counts. */
const FORMATS = ['tool.yaml', 'orla-tool.json', 'manifest.json'] as const

/** Tells what is wrong where a file cannot be read. */
function readSource(path: string): Source | Problem {
  try {
    return findSource(path)
  } catch (error) {
    return { file: path, message: `its manifest cannot be read: ${(error as Error).message}` }
  }
}

function findSource(path: string): Source {
  // A link leads to someone's own folder; a receipt in there is not about this place.
  const receipt = isLink(path) ? undefined : readTextIfThere(join(path, '.orla-receipt.json'))
  for (const format of FORMATS) {
    const file = join(path, format)
    const text = readTextIfThere(file)
    if (text !== undefined) return { file, format, text, receipt, key: `${receipt ?? ''}\0${text}` }
  }
  return { file: join(path, 'tool.yaml'), format: 'tool.yaml', text: '', receipt, key: '' }
}

async function readFolder(
  path: string,
  source: Source,
  schemas: SchemaJudges | undefined,
): Promise<FolderReading> {
  const receipt = source.receipt === undefined ? undefined : parseReceipt(source.receipt)
  const refusal = receipt && refusalOf(receipt, source, path)
  if (refusal) return { problems: [refusal], ...(refusal.tool !== undefined && { changed: receipt }) }
  if (source.format === 'manifest.json') return readMcpkgFolder(path, source, receipt, schemas)
  // The receipt carries the manifest as it was read at the install: YAML need not be parsed again.
  const { manifest, problems } =
    receipt?.manifest_sha256 === undefined
      ? await parse(source)
      : { manifest: receipt.manifest, problems: [] }
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
  // A capsule that restarts by itself when its source changes stays the same capsule.
  const edited =
    program.kind === 'file' && manifest.runtime.hotLoad === undefined ? String(program.mtimeMs) : ''
  const digest =
    receipt?.digest ??
    sha256(`${source.text}\0${program.kind === 'file' ? program.firstLine : ''}\0${edited}`)
  const folder: PackageFolder = {
    path,
    manifest,
    shebang,
    linked: isLink(path),
    digest: `${path}:${digest}`,
    ...(receipt === undefined ? {} : { receipt }),
  }
  return { folder, problems }
}

/** Its programs may be edited at any time: each call starts them anew, and what is told about the tool is the same. */
async function readMcpkgFolder(
  path: string,
  source: Source,
  receipt: Receipt | undefined,
  schemas: SchemaJudges | undefined,
): Promise<FolderReading> {
  const { text, file } = source
  const { mcpkg, problems } = await readMcpkgSource(text, file, receipt === undefined ? schemas : undefined)
  if (mcpkg === undefined) return { problems }
  const folder: PackageFolder = {
    path,
    manifest: receipt?.manifest ?? mcpkgAsManifest(mcpkg),
    mcpkg,
    shebang: null,
    linked: isLink(path),
    digest: `${path}:${receipt?.digest ?? sha256(text)}`,
    ...(receipt === undefined ? {} : { receipt }),
  }
  return { folder, problems }
}

/** What nobody has checked and accepted does not serve: half an install, and a manifest that was edited since. */
function refusalOf(receipt: Receipt, source: Source, path: string): Problem | undefined {
  const { name, version, hook, manifest_sha256 } = receipt
  const hint = `\`orla install ${name}@v${version}\` installs it again`
  if (hook === 'pending')
    return { file: path, message: 'its install has not ended: the hook is still to run', hint }
  if (manifest_sha256 === undefined || manifest_sha256 === sha256(source.text)) return undefined
  return { file: source.file, message: 'was changed after it was installed', hint, tool: name }
}

const NOT_A_FILE = { missing: 'not there', folder: 'a folder', other: 'not a file that can be read' } as const

async function parse(source: Source): Promise<{ manifest?: Manifest; problems: readonly Problem[] }> {
  const read = source.format === 'tool.yaml' ? readManifest : readOrlaToolJson
  return read(source.text, source.file, await loadYaml(source.text))
}
