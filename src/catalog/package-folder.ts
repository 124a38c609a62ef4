import {
  loadYaml,
  mcpkgAsManifest,
  parseReceipt,
  parseShebang,
  readManifest,
  readOrlaToolJson,
  receiptOf,
  type SchemaJudges,
  type Shebang,
} from '../formats/index.ts'
import { type Manifest, type McpkgManifest, type Problem, type Receipt, sha256 } from '../model/index.ts'
import {
  type FileStamp,
  lookAtProgram,
  readTextIfThere,
  readWithStats,
  type ScannedPackage,
} from '../platform/index.ts'
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
  /** When its entrypoint was written: of a folder in which someone may be working. */
  readonly editedAt?: number
}

/** What folders are read with. */
export interface FolderAids {
  /** Of what someone put there the schemas are judged. */
  readonly schemas: SchemaJudges | undefined
  /** The first line of its entrypoint, where it is known that all files are as they were installed. */
  readonly knownLine: (folder: string, receipt: FileStamp) => string | undefined
}

/** Remembers what it read: a folder whose manifest and entrypoint are as before is the same object. */
export function createFolderReader(): (place: ScannedPackage, aids: FolderAids) => Promise<FolderReading> {
  const known = new Map<string, Known>()
  return async (place, { schemas, knownLine }) => {
    const old = known.get(place.path)
    const source = readSource(place, knownLine, old?.source)
    if ('message' in source) return { problems: [source] }
    if (old !== undefined && isAsBefore(old, source)) return old.reading
    const reading = await readFolder(place, source, schemas)
    known.set(place.path, { source, reading })
    return reading
  }
}

interface Known {
  readonly source: Source
  readonly reading: FolderReading
}

/** Of an installed copy the manifest says enough; someone may be working on another one. */
function isAsBefore({ source: before, reading: { folder, editedAt } }: Known, source: Source): boolean {
  if (before.receiptText !== source.receiptText) return false
  if (source.line !== undefined) return folder !== undefined
  if (before.text !== source.text || before.file !== source.file) return false
  return folder === undefined || editedAt === undefined || editedAt === writtenAt(folder)
}

function writtenAt({ path, manifest }: PackageFolder): number {
  const program = lookAtProgram(`${path}/${manifest.entrypoint}`)
  return program.kind === 'file' ? program.mtimeMs : 0
}

interface Source {
  readonly file: string
  readonly format: (typeof FORMATS)[number]
  readonly receiptText: string | undefined
  readonly receipt: Receipt | undefined
  readonly text: string
  /** Of the entrypoint, where it is known that all is as it was installed. Then nobody reads the text. */
  readonly line?: string
}

/** The first of them that is there counts. */
const FORMATS = ['tool.yaml', 'orla-tool.json', 'manifest.json'] as const
const RECEIPT = '.orla-receipt.json'

/** Tells what is wrong where a file cannot be read. */
function readSource(
  place: ScannedPackage,
  knownLine: FolderAids['knownLine'],
  before: Source | undefined,
): Source | Problem {
  try {
    return findSource(place, knownLine, before)
  } catch (error) {
    return { file: place.path, message: `its manifest cannot be read: ${(error as Error).message}` }
  }
}

function findSource(
  { path, isLink, names }: ScannedPackage,
  knownLine: FolderAids['knownLine'],
  before: Source | undefined,
): Source {
  // A link leads to someone's own folder; a receipt in there is not about this place.
  const written = !isLink && names.includes(RECEIPT) ? readWithStats(`${path}/${RECEIPT}`) : undefined
  const receiptText = written?.text
  const old = before?.receiptText === receiptText ? before : undefined
  const formats = FORMATS.filter((format) => names.includes(format))
  const [first = 'tool.yaml'] = formats
  const source = { file: `${path}/${first}`, format: first, receiptText, text: '' }
  // What an .mcpkg says is more than its receipt holds.
  if (written !== undefined && first !== 'manifest.json') {
    const line = knownLine(path, written.stats)
    if (line !== undefined) return { ...source, receipt: old?.receipt ?? receiptOf(written.text), line }
  }
  const receipt = old?.receipt ?? (receiptText === undefined ? undefined : parseReceipt(receiptText))
  for (const format of formats) {
    const file = `${path}/${format}`
    const text = readTextIfThere(file)
    if (text !== undefined) return { file, format, receiptText, receipt, text }
  }
  return { ...source, receipt }
}

async function readFolder(
  { path, isLink: linked }: ScannedPackage,
  source: Source,
  schemas: SchemaJudges | undefined,
): Promise<FolderReading> {
  const { receipt } = source
  if (receipt !== undefined && source.line !== undefined) {
    const digest = `${path}:${receipt.digest}`
    const shebang = parseShebang(source.line)
    return { folder: { path, manifest: receipt.manifest, shebang, linked, digest, receipt }, problems: [] }
  }
  const refusal = receipt && refusalOf(receipt, source, path)
  if (refusal) return { problems: [refusal], ...(refusal.tool !== undefined && { changed: receipt }) }
  if (source.format === 'manifest.json') return readMcpkgFolder(path, linked, source, schemas)
  // The receipt carries the manifest as it was read at the install: YAML need not be parsed again.
  const { manifest, problems } =
    receipt?.manifest_sha256 === undefined
      ? await parse(source)
      : { manifest: receipt.manifest, problems: [] }
  if (manifest === undefined) return { problems }
  const program = lookAtProgram(`${path}/${manifest.entrypoint}`)
  const shebang = program.kind === 'file' ? parseShebang(program.firstLine) : null
  const isRunnable = program.kind === 'file' && (program.executable || shebang !== null)
  if (!isRunnable) {
    const wrong =
      program.kind === 'file' ? 'is not executable and has no #! line' : `is ${NOT_A_FILE[program.kind]}`
    const problem = { file: source.file, message: `its entrypoint ${manifest.entrypoint} ${wrong}` }
    return { problems: [...problems, problem] }
  }
  // A capsule that restarts by itself when its source changes stays the same capsule.
  const edited = manifest.runtime.hotLoad === undefined ? String(program.mtimeMs) : ''
  const digest = receipt?.digest ?? sha256(`${source.text}\0${program.firstLine}\0${edited}`)
  const folder = { path, manifest, shebang, linked, digest: `${path}:${digest}` }
  return receipt === undefined
    ? { folder, problems, editedAt: program.mtimeMs }
    : { folder: { ...folder, receipt }, problems }
}

/** Its programs may be edited at any time: each call starts them anew, and what is told about the tool is the same. */
async function readMcpkgFolder(
  path: string,
  linked: boolean,
  source: Source,
  schemas: SchemaJudges | undefined,
): Promise<FolderReading> {
  const { text, file, receipt } = source
  const { mcpkg, problems } = await readMcpkgSource(text, file, receipt === undefined ? schemas : undefined)
  if (mcpkg === undefined) return { problems }
  const folder: PackageFolder = {
    path,
    manifest: receipt?.manifest ?? mcpkgAsManifest(mcpkg),
    mcpkg,
    shebang: null,
    linked,
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
