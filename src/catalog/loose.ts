import { headEnd, loadYaml, type ReadYaml, readLoose, SIDECAR, toolNameOf } from '../formats/index.ts'
import type { Problem } from '../model/index.ts'
import { type Scan, type ScannedFile, type ScanOptions, scanFolder, sweepStaging } from '../platform/index.ts'
import type { Finding } from './snapshot.ts'

/** What the loose files of a folder gave, in path order. */
export interface LooseFindings {
  readonly scan: Scan
  readonly findings: readonly LooseFinding[]
  /** The same findings, object for object, as the time before. */
  readonly unchanged: boolean
}

export interface LooseFinding extends Finding {
  readonly path: string
}

/** What was made of a file, valid as long as it and its sidecar are the same objects. */
interface Reading {
  readonly file: ScannedFile
  readonly sidecar: ScannedFile | undefined
  readonly finding: LooseFinding
}

interface State extends LooseFindings {
  readonly cwd: string
  readonly readings: ReadonlyMap<string, Reading>
  /** Problems that belong to no tool. */
  readonly problems: readonly Problem[]
}

const SUFFIX = '.tool.yaml'

/**
 * Reads a folder of executables again and again. Files that have not changed are neither read nor parsed
 * a second time, and their tools stay the same objects.
 */
export function createLooseReader(): (toolsDir: string, cwd: string) => Promise<LooseFindings> {
  let last: State | undefined
  return async (toolsDir, cwd) => {
    const before = last?.scan.root === toolsDir && last.cwd === cwd ? last : undefined
    const scan = scanTools(toolsDir, { headEnd, ...(before ? { previous: before.scan } : {}) })
    const readYaml = scan.sidecars.size > 0 ? await loadYaml() : undefined
    last = assemble(scan, cwd, before, readYaml)
    return last
  }
}

/** An install that was killed in the middle of a replacement left the old version aside: it is put back first. */
export function scanTools(root: string, options: ScanOptions): Scan {
  const scan = scanFolder(root, options)
  return scan.hasStaging && sweepStaging(root) ? scanFolder(root, options) : scan
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
    return { ...before, scan, unchanged: true }
  }
  const findings = [...readings.values()].map((reading) => reading.finding)
  return { cwd, scan, readings, problems, findings: [...findings, { path: '', problems }], unchanged: false }
}

function read(
  file: ScannedFile,
  sidecar: ScannedFile | undefined,
  cwd: string,
  readYaml?: ReadYaml,
): LooseFinding {
  const { path } = file
  if (sidecar === undefined || readYaml === undefined) return { path, ...readLoose(file, null, cwd) }
  const { value, problems } = readYaml(sidecar.head, sidecar.path, SIDECAR)
  // Half of a sidecar could run the tool in a way nobody wrote down.
  if (value === undefined || problems.length > 0) return { path, problems }
  return { path, ...readLoose(file, value, cwd) }
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
