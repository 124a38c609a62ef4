import { loadYaml, toolNameOf } from '../formats/index.ts'
import type { Problem } from '../model/index.ts'
import {
  createOrderedLookup,
  type Scan,
  type ScannedFile,
  type ScanOptions,
  scanFolder,
  sweepStaging,
} from '../platform/index.ts'
import { type OpeningCache, worthLoading } from './opening-cache.ts'
import {
  confirmed,
  fillFromCache,
  findingOf,
  newReading,
  type Reading,
  type Reads,
  recheck,
} from './reading.ts'
import type { Finding } from './snapshot.ts'

/** What the loose files of a folder give. */
export interface LooseFindings {
  readonly scan: Scan
  /** All of it is as it was the time before. */
  readonly unchanged: boolean
  /** Everything, in path order. For a file that has not changed since, a cache may have answered. */
  all(): readonly Finding[]
  /** What may be the tool of that name, in path order, as the files themselves say. */
  named(name: string): readonly Finding[]
}

export interface LooseReader {
  scan(toolsDir: string, cwd: string, cache: OpeningCache | undefined): Promise<LooseFindings>
  /** Only what may be the tool of that name; null leaves all files out. */
  look(toolsDir: string, cwd: string, name: string | null): Promise<LooseFindings>
  /** Lets other processes know what this one has read, where that is worth a file. */
  flush(): void
}

interface State {
  readonly scan: Scan
  readonly unchanged: boolean
  /** The executables, then what only lacks the permission. */
  readonly readings: readonly Reading[]
  /** Problems that belong to no tool. */
  readonly problems: readonly Problem[]
  readonly reads: Reads
  readonly cache: OpeningCache | undefined
}

const SUFFIX = '.tool.yaml'

/**
 * Reads a folder of executables again and again. Files that have not changed are neither read nor parsed
 * a second time, and their tools stay the same objects.
 */
export function createLooseReader(): LooseReader {
  let last: State | undefined
  return {
    async scan(toolsDir, cwd, cache) {
      const before = last?.scan.root === toolsDir && last.reads.cwd === cwd ? last : undefined
      const state = await readFolder(scanTools(toolsDir, { previous: before?.scan }), cwd, before, cache)
      last = state
      return findingsOf(state)
    },
    async look(toolsDir, cwd, name) {
      const isWanted = (file: string) =>
        name !== null && file.startsWith(name) && (toolNameOf(file) === name || file === name + SUFFIX)
      return findingsOf(await readFolder(scanTools(toolsDir, { isWanted }), cwd, undefined, undefined))
    },
    flush() {
      if (last?.readings.every(({ finding }) => finding)) last.cache?.save(last.scan.root, last.readings)
    },
  }
}

/** An install that was killed in the middle of a replacement left the old version aside: it is put back first. */
export function scanTools(root: string, options: ScanOptions): Scan {
  const scan = scanFolder(root, options)
  return scan.hasStaging && sweepStaging(root) ? scanFolder(root, options) : scan
}

async function readFolder(
  scan: Scan,
  cwd: string,
  before: State | undefined,
  cache: OpeningCache | undefined,
): Promise<State> {
  const readYaml = scan.sidecars.size > 0 ? await loadYaml() : undefined
  const reads = { cwd, readYaml, racy: before?.reads.racy ?? new Set<Reading>() }
  const problems = [...scan.problems, ...lostSidecars(scan)]
  const hasChanged = recheck(reads)
  const unchanged =
    before !== undefined && !hasChanged && isSame(scan, before.scan) && isEqual(problems, before.problems)
  const readings = unchanged ? before.readings : readingsOf(scan, before?.readings ?? [])
  return { scan, unchanged, readings, problems, reads, cache }
}

function findingsOf(state: State): LooseFindings {
  const { scan, unchanged } = state
  return { scan, unchanged, all: () => readAll(state), named: (name) => readNamed(state, name) }
}

function readingsOf(scan: Scan, before: readonly Reading[]): Reading[] {
  const indexBefore = createOrderedLookup(before.length, (index) => before[index]?.file.relative)
  const readings: Reading[] = []
  const add = (file: ScannedFile, isTool: boolean) => {
    const sidecar = isTool && scan.sidecars.size > 0 ? scan.sidecars.get(sidecarOf(file.path)) : undefined
    const old = before.length === 0 ? undefined : before[indexBefore(file.relative)]
    const isSame = old !== undefined && old.file === file && old.sidecar === sidecar && !old.isStale
    readings.push(isSame && old.isTool === isTool ? old : newReading(file, sidecar, isTool))
  }
  for (const file of scan.files) add(file, true)
  for (const file of scan.scripts) add(file, false)
  return readings
}

function readAll({ scan, readings, problems, reads, cache }: State): readonly Finding[] {
  const unread = readings.filter(({ finding }) => finding === undefined)
  if (cache && worthLoading(unread.length)) {
    const known = cache.load(scan.root)
    for (const reading of unread) {
      // With a sidecar there is a second file to read in any case.
      const opening = reading.sidecar === undefined ? known(reading) : undefined
      if (opening !== undefined) fillFromCache(reading, opening, reads)
    }
  }
  const findings: Finding[] = []
  for (const reading of readings) findings.push(findingOf(reading, reads))
  findings.push({ problems })
  return findings
}

function readNamed({ readings, reads }: State, name: string): readonly Finding[] {
  return readings
    .filter(
      ({ file, isTool }) => isTool && file.relative.includes(name) && toolNameOf(file.relative) === name,
    )
    .map((reading) => confirmed(reading, reads))
}

/** The scan gives the same object for a file that has not changed. */
function isSame(a: Scan, b: Scan): boolean {
  return a.seen.length === b.seen.length && a.seen.every((file, index) => file === b.seen[index])
}

function isEqual(a: readonly Problem[], b: readonly Problem[]): boolean {
  return a.length === b.length && JSON.stringify(a) === JSON.stringify(b)
}

function sidecarOf(executable: string): string {
  return `${executable.slice(0, executable.lastIndexOf('/') + 1)}${toolNameOf(executable)}${SUFFIX}`
}

function lostSidecars({ files, sidecars }: Scan): Problem[] {
  if (sidecars.size === 0) return []
  const lost = new Set(sidecars.keys())
  for (const { path } of files) lost.delete(sidecarOf(path))
  return [...lost].map((sidecar) => ({
    file: sidecar,
    message: 'describes a tool that is not there',
    hint: `put an executable named ${toolNameOf(sidecar.slice(0, -SUFFIX.length))} beside it`,
  }))
}
