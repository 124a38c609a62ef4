import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { listFolder } from './files.ts'
import { openProgramCache } from './host-programs-cache.ts'
import { findProgram, versionOf } from './programs.ts'

/** A version, null when it is there and does not tell, undefined when it is not there. */
type Found = string | null | undefined

/** The programs of this machine, as packages ask about them. */
export interface HostPrograms {
  readonly platform: string
  readonly arch: string
  /** A program on PATH; `net8.0` is one of the versions behind `dotnet`. Not `asked`, it is not run. */
  readonly programVersion: (name: string, asked?: boolean) => Found
  /** A package of a runtime, by its program: `('python3', 'PyMuPDF')`. */
  readonly packageVersion: (program: string, name: string) => Found
}

export interface HostOptions {
  /** What the programs see: enough to start, nothing that could be a secret. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Where versions are kept between runs: asking a program takes longer than most commands. */
  readonly cacheFile: string
}

/** Each program is asked once, and again only when it is another file than before. */
export function lookAtHost({ env, cwd, cacheFile }: HostOptions): HostPrograms {
  const cache = openProgramCache(cacheFile)
  const found = new Map<string, Found>()
  const once = (key: string, ask: () => Found): Found => {
    if (!found.has(key)) found.set(key, ask())
    return found.get(key)
  }
  const find = (name: string) => findProgram(name, env.PATH ?? '', cwd)

  function askProgram(name: string, asked: boolean): Found {
    const framework = /^net(?:coreapp)?(\d+)\.(\d+)$/.exec(name)
    if (framework !== null) return askDotnet(`${framework[1]}.${framework[2]}.`)
    const file = find(name)
    if (file === undefined) return undefined
    if (isThisNode(file)) return process.version
    if (!asked) return null
    return cache.recall(file, '--version', () => versionOf(file, env) ?? null)
  }

  function askDotnet(prefix: string): Found {
    const file = find('dotnet')
    if (file === undefined) return undefined
    const listed = cache.recall(file, '--list-runtimes', () => output(file, ['--list-runtimes'], env) ?? null)
    const versions = [...(listed ?? '').matchAll(/^Microsoft\.NETCore\.App (\S+)/gm)].map(
      ([, one = '']) => one,
    )
    return versions.filter((version) => version.startsWith(prefix)).at(-1)
  }

  function askPackage(program: string, name: string): Found {
    const file = find(program)
    if (file === undefined) return undefined
    if (!/^(?:py|python)[\d.]*$/.test(program)) return nodePackage(file, name, cwd)
    const folders = cache.recall(file, 'sys.path', () => output(file, ['-c', PYTHON_PATH], env) ?? null)
    return pythonPackage((folders ?? '').split('\n').filter(isAbsolute), name)
  }

  return {
    platform: process.platform,
    arch: process.arch,
    programVersion: (name, asked = true) => once(`${name} ${asked}`, () => askProgram(name, asked)),
    packageVersion: (program, name) => once(`${program} ${name}`, () => askPackage(program, name)),
  }
}

const PYTHON_PATH = 'import sys; print("\\n".join(sys.path))'

/** What a program prints; undefined when it fails. It runs where no file of a project can get in its way. */
function output(file: string, args: readonly string[], env: HostOptions['env']): string | undefined {
  try {
    return execFileSync(file, args, {
      encoding: 'utf8',
      env,
      cwd: dirname(file),
      timeout: 5000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return undefined
  }
}

/** From the folders it leaves: packages come and go, and starting Python for each question takes too long. */
function pythonPackage(folders: readonly string[], name: string): Found {
  const wanted = normalName(name)
  for (const entry of folders.flatMap((folder) => listIfFolder(folder))) {
    const [, found = '', version] = /^(.+?)-(\d[^-]*)(?:-.*)?\.(?:dist|egg)-info$/.exec(entry) ?? []
    if (version !== undefined && normalName(found) === wanted) return version
  }
  return undefined
}

/** PyMuPDF, pymupdf and Py_MuPDF are one. */
function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}

function listIfFolder(folder: string): string[] {
  try {
    return listFolder(folder)
  } catch {
    return [] // a zip, or closed to us
  }
}

/** Beside the project, in a folder above it, or installed with the runtime. */
function nodePackage(runtime: string, name: string, cwd: string): Found {
  const roots: string[] = []
  for (let folder = cwd; ; folder = dirname(folder)) {
    roots.push(join(folder, 'node_modules'))
    if (folder === dirname(folder)) break
  }
  roots.push(join(dirname(realOf(runtime)), '../lib/node_modules'))
  for (const root of roots) {
    try {
      const { version } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')) as {
        version?: unknown
      } // any JSON
      return typeof version === 'string' ? version : null
    } catch {
      // Not here, or not a package.
    }
  }
  return undefined
}

function isThisNode(file: string): boolean {
  return realOf(file) === realOf(process.execPath)
}

function realOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
