import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SRC = join(dirname(fileURLToPath(import.meta.url)), '..', 'src')

/** Which rooms a room may import. `main` is what lies in src/ itself: main.ts, and boot.ts which loads it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  main: ['cli', 'app', 'answers', 'platform', 'model'],
  cli: ['app', 'model'],
  app: ['catalog', 'packages', 'runtime', 'server', 'formats', 'platform', 'model'],
  catalog: ['formats', 'platform', 'model'],
  packages: ['formats', 'platform', 'model'],
  runtime: ['formats', 'platform', 'model'],
  server: ['formats', 'platform', 'model'],
  answers: ['platform'],
  formats: ['model'],
  platform: ['model'],
  model: [],
}

/** Where the outside world may be touched. */
const MAY_DO_IO = ['platform', 'main', 'server', 'answers']
const IO_MODULES = /^node:(fs|child_process|net|http|https|dgram|dns|tls|worker_threads)(\/|$)/

/** They hold the text of programs that run elsewhere: in a package, in an interpreter started ahead. */
const TEXTS = /capsule-(node|python)\.ts$|warm\/\w+-bootstrap\.ts$/

interface Import {
  readonly file: string
  readonly room: string
  readonly target: string
}

const files = sourceFiles(SRC)
const imports = files.flatMap(importsOf)

describe('the rooms', () => {
  it('finds the files and imports it judges', () => {
    expect(files.length).toBeGreaterThan(40)
    expect(imports.length).toBeGreaterThan(100)
    expect(new Set(files.map(roomOf))).toContain('server')
  })

  it('import only in the direction of the map', () => {
    const wrong = imports.filter(({ file, room, target }) => {
      const other = roomTarget(file, target)
      return other !== undefined && other !== room && !MAY_IMPORT[room]?.includes(other)
    })
    expect(wrong).toEqual([])
  })

  it('enter each other through the door', () => {
    const around = imports.filter(({ file, room, target }) => {
      const other = roomTarget(file, target)
      return other !== undefined && other !== room && !target.endsWith('/index.ts')
    })
    expect(around).toEqual([])
  })

  it('do I/O only in platform, in the sockets of server, in answers and in main', () => {
    const wrong = imports.filter(({ room, target }) => IO_MODULES.test(target) && !MAY_DO_IO.includes(room))
    expect(wrong).toEqual([])
  })

  it('leave argv, the environment and the exit to main', () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(file, 'utf8')
      return roomOf(file) !== 'main' && /process\.(argv|env|exit|exitCode|cwd)\b/.test(text)
    })
    expect(wrong.map((file) => relative(SRC, file))).toEqual([])
  })

  it('have doors that list names', () => {
    const doors = files.filter((file) => file.endsWith(`${sep}index.ts`))
    const loose = doors.filter((file) => /export \*|export default/.test(readFileSync(file, 'utf8')))
    expect(loose).toEqual([])
    expect(doors.length).toBeGreaterThanOrEqual(8)
  })
})

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sourceFiles(path)
    const isSource = entry.name.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(entry.name)
    return isSource && !TEXTS.test(path) ? [path] : []
  })
}

function roomOf(file: string): string {
  const [first = ''] = relative(SRC, file).split(sep)
  return first.endsWith('.ts') ? 'main' : first
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8')
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\(\s*|\bimport\s+)'([^']+)'/g)
  return [...found].map(([, target = '']) => ({ file: relative(SRC, file), room: roomOf(file), target }))
}

function roomTarget(file: string, target: string): string | undefined {
  if (!target.startsWith('.')) return undefined
  return roomOf(resolve(SRC, dirname(file), target))
}
