import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder, readTextIfThere, writeFileAtomic } from './files.ts'
import { lookAtProgram } from './program-file.ts'

/** What programs said about themselves. */
export interface ProgramCache {
  /** The answer kept for this file as it is, or a new one. */
  recall(file: string, question: string, ask: () => string | null): string | null
}

/** A program is known by its path and its file; a script may lead to another program every day. */
export function openProgramCache(cacheFile: string): ProgramCache {
  let known: Known | undefined
  return {
    recall(file, question, ask) {
      known ??= read(cacheFile)
      const stats = statSync(file, { throwIfNoEntry: false })
      const key = `${file} ${stats?.size} ${stats?.mtimeMs} ${question}`
      const before = known[key]
      if (before !== undefined && (Date.now() - before.at < SHIM_MS || !isScript(file))) return before.answer
      const answer = ask()
      known = { ...known, [key]: { answer, at: Date.now() } }
      keep(cacheFile, known)
      return answer
    },
  }
}

const MOST_KEPT = 200
const SHIM_MS = 10 * 60_000

type Known = Record<string, { readonly answer: string | null; readonly at: number }>

function isScript(file: string): boolean {
  const program = lookAtProgram(file)
  return program.kind === 'file' && program.firstLine.startsWith('#!')
}

function read(cacheFile: string): Known {
  try {
    const value: unknown = JSON.parse(readTextIfThere(cacheFile) ?? '{}')
    if (typeof value !== 'object' || value === null || Object.keys(value).length > MOST_KEPT) return {}
    return value as Known // written by `keep` only
  } catch {
    return {} // a damaged copy is as good as none
  }
}

function keep(cacheFile: string, known: Known): void {
  try {
    makeFolder(dirname(cacheFile))
    writeFileAtomic(cacheFile, JSON.stringify(known))
  } catch {
    // A read-only home: the next run asks again.
  }
}
