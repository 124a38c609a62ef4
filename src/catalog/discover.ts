import { headEnd, loadYaml, type ReadYaml, readLoose, SIDECAR, toolNameOf } from '../formats/index.ts'
import type { Catalog, Problem } from '../model/index.ts'
import { type Scan, type ScannedFile, scanFolder } from '../platform/index.ts'
import { type Finding, snapshot } from './snapshot.ts'

export interface Discovered {
  /** The same object as before when nothing has changed. */
  readonly catalog: Catalog
  /** The tools folder does not exist (yet). */
  readonly missing: boolean
  /** Folders to watch, */
  readonly directories: readonly string[]
  /** and files elsewhere to which links in them lead. */
  readonly linked: readonly string[]
  /** Folders that hold a manifest. */
  readonly packages: readonly string[]
}

export interface Discovery {
  scan(options: { toolsDir: string; cwd: string }): Promise<Discovered>
}

/** What was made of a file, valid as long as it and its sidecar are the same objects. */
interface Reading {
  readonly file: ScannedFile
  readonly sidecar: ScannedFile | undefined
  readonly finding: Finding
}

interface State {
  readonly cwd: string
  readonly scan: Scan
  readonly readings: ReadonlyMap<string, Reading>
  /** Problems that belong to no tool. */
  readonly problems: readonly Problem[]
  readonly catalog: Catalog
}

const SUFFIX = '.tool.yaml'

/**
 * Turns a folder of executables into a catalog, again and again. Files that have not changed are
 * neither read nor parsed a second time, and their tools stay the same objects.
 */
export function createDiscovery(): Discovery {
  let last: State | undefined

  return {
    async scan({ toolsDir, cwd }) {
      const before = last?.scan.root === toolsDir && last.cwd === cwd ? last : undefined
      const scan = scanFolder(toolsDir, { headEnd, ...(before ? { previous: before.scan } : {}) })
      const readYaml = scan.sidecars.size > 0 ? await loadYaml() : undefined
      last = assemble(scan, cwd, before, readYaml)
      const { missing, directories, linked, packages } = scan
      return { catalog: last.catalog, missing, directories, linked, packages }
    },
  }
}

function assemble(scan: Scan, cwd: string, before: State | undefined, readYaml?: ReadYaml): State {
  const readings = new Map<string, Reading>()
  const orphans = new Set(scan.sidecars.keys())
  let changed = before === undefined || before.readings.size !== scan.files.length
  for (const file of scan.files) {
    const sidecar = scan.sidecars.size > 0 ? scan.sidecars.get(sidecarOf(file.path)) : undefined
    if (sidecar) orphans.delete(sidecar.path)
    const old = before?.readings.get(file.path)
    const isSame = old?.file === file && old.sidecar === sidecar
    changed ||= !isSame
    readings.set(file.path, isSame ? old : { file, sidecar, finding: read(file, sidecar, cwd, readYaml) })
  }
  const problems = [...scan.problems, ...[...orphans].map(orphaned)]
  if (before && !changed && JSON.stringify(problems) === JSON.stringify(before.problems)) {
    return { ...before, scan }
  }
  const findings = [...readings.values()].map((reading) => reading.finding)
  return { cwd, scan, readings, problems, catalog: snapshot([...findings, { problems }]) }
}

function read(
  file: ScannedFile,
  sidecar: ScannedFile | undefined,
  cwd: string,
  readYaml?: ReadYaml,
): Finding {
  if (sidecar === undefined || readYaml === undefined) return readLoose(file, null, cwd)
  const { value, problems } = readYaml(sidecar.head, sidecar.path, SIDECAR)
  // Half of a sidecar could run the tool in a way nobody wrote down.
  return value === undefined || problems.length > 0 ? { problems } : readLoose(file, value, cwd)
}

function sidecarOf(executable: string): string {
  return `${executable.slice(0, executable.lastIndexOf('/') + 1)}${toolNameOf(executable)}${SUFFIX}`
}

function orphaned(sidecar: string): Problem {
  return {
    file: sidecar,
    message: 'describes a tool that is not there',
    hint: `put an executable named ${toolNameOf(sidecar.slice(0, -SUFFIX.length))} beside it`,
  }
}
