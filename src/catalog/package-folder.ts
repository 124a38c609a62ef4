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
import {
  type Manifest,
  type McpkgManifest,
  type Problem,
  RECEIPT,
  type Receipt,
  sha256,
} from '../model/index.ts'
import { lookAtProgram, readTextIfThere, type ScannedPackage } from '../platform/index.ts'
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
  /** The file that has to come, or to change, before it can be used. */
  readonly awaited?: string
}

/** What folders are read with. */
export interface FolderAids {
  /** Of what someone put there the schemas are judged. */
  readonly schemas: SchemaJudges | undefined
  /** What was installed in a folder, where it is known that everything there is as it was. */
  readonly known: (folder: string) => InstalledAsIs | undefined
}

export interface InstalledAsIs {
  readonly receipt: Receipt
  /** The first line of its entrypoint. */
  readonly line: string
}

/** Remembers what it read: a folder whose manifest and entrypoint are as before is the same object. */
export function createFolderReader(): (place: ScannedPackage, aids: FolderAids) => Promise<FolderReading> {
  const readings = new Map<string, Known>()
  return async (place, { schemas, known }) => {
    const old = readings.get(place.path)
    const asIs = canBeKnown(place) ? known(place.path) : undefined
    if (asIs !== undefined) {
      const reading = old?.asIs === asIs ? old.reading : readInstalled(place, asIs)
      readings.set(place.path, { asIs, reading })
      return reading
    }
    const source = readSource(place)
    if ('message' in source) return { problems: [source] }
    if (old?.source?.key === source.key && isAsBefore(old.reading)) return old.reading
    const reading = await readFolder(place, source, schemas)
    readings.set(place.path, { source, reading })
    return reading
  }
}

/** What its reading was made of. */
interface Known {
  readonly asIs?: InstalledAsIs
  readonly source?: Source
  readonly reading: FolderReading
}

/** What an .mcpkg says is more than its receipt holds. */
function canBeKnown({ isLink, names }: ScannedPackage): boolean {
  const format = FORMATS.find((name) => names.includes(name))
  return !isLink && names.includes(RECEIPT) && format !== 'manifest.json'
}

function readInstalled({ path }: ScannedPackage, { receipt, line }: InstalledAsIs): FolderReading {
  const { manifest, digest } = receipt
  const shebang = parseShebang(line)
  return {
    folder: { path, manifest, shebang, linked: false, digest: `${path}:${digest}`, receipt },
    problems: [],
  }
}

/** Of an installed copy the manifest says enough; someone may be working on another one. */
function isAsBefore({ folder, editedAt }: FolderReading): boolean {
  // What was wrong with it may be mended, in whatever file.
  if (folder === undefined) return false
  if (editedAt === undefined) return true
  const program = lookAtProgram(`${folder.path}/${folder.manifest.entrypoint}`)
  return editedAt === (program.kind === 'file' ? program.mtimeMs : 0)
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
function readSource(place: ScannedPackage): Source | Problem {
  try {
    return findSource(place)
  } catch (error) {
    return { file: place.path, message: `its manifest cannot be read: ${(error as Error).message}` }
  }
}

function findSource({ path, isLink, names }: ScannedPackage): Source {
  // A link leads to someone's own folder; a receipt in there is not about this place.
  const receipt = !isLink && names.includes(RECEIPT) ? readTextIfThere(`${path}/${RECEIPT}`) : undefined
  for (const format of FORMATS) {
    const file = `${path}/${format}`
    const text = names.includes(format) ? readTextIfThere(file) : undefined
    if (text !== undefined) return { file, format, text, receipt, key: `${receipt ?? ''}\0${text}` }
  }
  return { file: `${path}/tool.yaml`, format: 'tool.yaml', text: '', receipt, key: '' }
}

async function readFolder(
  { path, isLink: linked }: ScannedPackage,
  source: Source,
  schemas: SchemaJudges | undefined,
): Promise<FolderReading> {
  const receipt = source.receipt === undefined ? undefined : parseReceipt(source.receipt)
  const refusal = receipt && refusalOf(receipt, source, path)
  if (refusal) return { problems: [refusal], ...(refusal.tool !== undefined && { changed: receipt }) }
  if (source.format === 'manifest.json') return readMcpkgFolder(path, linked, source, receipt, schemas)
  // The receipt carries the manifest as it was read at the install: YAML need not be parsed again.
  const { manifest, problems } =
    receipt?.manifest_sha256 === undefined
      ? await parse(source)
      : { manifest: receipt.manifest, problems: [] }
  if (manifest === undefined) return { problems }
  const entrypoint = `${path}/${manifest.entrypoint}`
  const program = lookAtProgram(entrypoint)
  const shebang = program.kind === 'file' ? parseShebang(program.firstLine) : null
  const isRunnable = program.kind === 'file' && (program.executable || shebang !== null)
  if (!isRunnable) {
    const wrong =
      program.kind === 'file' ? 'is not executable and has no #! line' : `is ${NOT_A_FILE[program.kind]}`
    const problem = { file: source.file, message: `its entrypoint ${manifest.entrypoint} ${wrong}` }
    return { problems: [...problems, problem], awaited: entrypoint }
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
