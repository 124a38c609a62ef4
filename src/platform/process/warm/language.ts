import { basename } from 'node:path'

export type Language = 'python' | 'node'

/** By the name of the program, as a `#!` line gives it. */
export function languageOf(file: string): Language | undefined {
  const name = basename(file)
  if (/^python(3(\.\d+)?)?$/.test(name)) return 'python'
  return name === 'node' || name === 'nodejs' ? 'node' : undefined
}
