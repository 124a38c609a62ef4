import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = dirname(fileURLToPath(import.meta.url))

/** The cases of a suite, one a line. */
export function readSuite<T>(name: string): readonly T[] {
  const lines = readFileSync(join(HERE, `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as T) // the data is part of this repository
}
