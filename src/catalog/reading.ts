import {
  hiddenProblems,
  looseTool,
  type Opening,
  type ReadYaml,
  readOpening,
  SIDECAR,
} from '../formats/index.ts'
import { type Problem, showHiddenIn } from '../model/index.ts'
import { isSettled, readBeginning, readWhole, type ScannedFile } from '../platform/index.ts'
import type { Finding } from './snapshot.ts'

/** A file and what is known of it by now. It fills up as it is asked for, and is replaced when the file changes. */
export interface Reading {
  readonly file: ScannedFile
  readonly sidecar: ScannedFile | undefined
  /** Else it is a script that is not executable: worth a hint, never a tool. */
  readonly isTool: boolean
  opening: Opening | undefined
  /** All of its sidecar. */
  said: string
  finding: Finding | undefined
  /** When reading it began. */
  readAtMs: number
  /** It was read from the file itself, not from a cache. */
  isConfirmed: boolean
  isCached: boolean
  /** Its content turned out to have changed although nothing else had. */
  isStale: boolean
}

/** What readings share. */
export interface Reads {
  readonly cwd: string
  readonly readYaml: ReadYaml | undefined
  /** Read so shortly after a change that the file may have changed again unnoticed. */
  readonly racy: Set<Reading>
}

export function newReading(file: ScannedFile, sidecar: ScannedFile | undefined, isTool: boolean): Reading {
  return {
    file,
    sidecar,
    isTool,
    opening: undefined,
    said: '',
    finding: undefined,
    readAtMs: 0,
    isConfirmed: false,
    isCached: false,
    isStale: false,
  }
}

/** What the file gives. A cache may have answered for it. */
export function findingOf(reading: Reading, reads: Reads): Finding {
  return reading.finding ?? readFrom(reading, reads)
}

/** What the file itself gives: whatever a cache says, what runs is what is on disk. */
export function confirmed(reading: Reading, reads: Reads): Finding {
  if (reading.finding !== undefined && reading.isConfirmed) return reading.finding
  return readFrom(reading, reads)
}

/** Takes over what a cache knows about a file that has not changed since. */
export function fillFromCache(reading: Reading, opening: Opening, reads: Reads): void {
  reading.isCached = true
  reading.opening = opening
  reading.finding = interpret(reading, opening, reads)
}

/** Reads again what may have changed unnoticed; true when something has. */
export function recheck({ racy }: Reads): boolean {
  let changed = false
  for (const reading of racy) {
    const now = Date.now()
    const { opening, said } = load(reading)
    if (opening?.print !== reading.opening?.print || said !== reading.said) {
      reading.isStale = true
      changed = true
    }
    reading.readAtMs = now
    if (reading.isStale || isSettledReading(reading)) racy.delete(reading)
  }
  return changed
}

/** Whether another look at its times is enough to know that it is the same. */
export function isSettledReading({ file, sidecar, readAtMs }: Reading): boolean {
  return isSettled(lastChange(file), readAtMs) && (!sidecar || isSettled(lastChange(sidecar), readAtMs))
}

function lastChange({ mtimeMs, ctimeMs }: ScannedFile): number {
  return Math.max(mtimeMs, ctimeMs)
}

function readFrom(reading: Reading, reads: Reads): Finding {
  reading.readAtMs = Date.now()
  const { opening, said, problem } = load(reading)
  // What the cache said of it may go on being kept, but nothing is made of it any more.
  reading.isCached &&= reading.opening?.print === opening?.print
  reading.isConfirmed = true
  reading.opening = opening
  reading.said = said
  reading.finding =
    opening === undefined ? { problems: problem ? [problem] : [] } : interpret(reading, opening, reads)
  if (!isSettledReading(reading)) reads.racy.add(reading)
  return reading.finding
}

interface Loaded {
  readonly opening?: Opening
  readonly said: string
  readonly problem?: Problem
}

function load({ file, sidecar, isTool }: Reading): Loaded {
  const opening = readBeginning(file.path, isTool ? readOpening : readShebangMark)
  if (!('print' in opening)) return { said: '', ...opening }
  const said = sidecar === undefined ? '' : readWhole(sidecar.path)
  if (typeof said === 'string') return { opening, said }
  return said.problem ? { said: '', ...said } : { opening, said: '' }
}

/** Of a script that cannot be run only one thing matters. */
function readShebangMark(text: string): Opening {
  return { print: text.startsWith('#!') ? '#!' : '', interpreter: null, header: { problems: [] } }
}

function interpret({ file, sidecar, isTool, said }: Reading, opening: Opening, reads: Reads): Finding {
  if (!isTool) return { problems: opening.print === '' ? [] : [notExecutable(file.path)] }
  if (sidecar === undefined || reads.readYaml === undefined) return looseTool(file, opening, null, reads.cwd)
  const { value, problems, problemAt } = reads.readYaml(said, sidecar.path, SIDECAR)
  // Half of a sidecar could run the tool in a way nobody wrote down.
  if (value === undefined || problems.length > 0) return { problems }
  const hidden = hiddenProblems(value, problemAt)
  if (hidden.length === 0) return looseTool(file, opening, value, reads.cwd)
  // Its owner's own: served with what it hides written out.
  const { tool, problems: own } = looseTool(file, opening, showHiddenIn(value), reads.cwd)
  return { ...(tool && { tool }), problems: [...hidden, ...own] }
}

function notExecutable(file: string): Problem {
  return { file, message: 'has a #! line but is not executable', hint: `chmod +x ${shellWord(file)}` }
}

function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
