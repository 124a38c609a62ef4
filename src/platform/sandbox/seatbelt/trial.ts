import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxProfile } from '../../../model/index.ts'
import type { ProcessRequest } from '../../process/starter.ts'

/** What the program of a trial tries, in the words that follow "a program in it". */
export const ATTEMPTS = {
  own: 'reads its own files',
  granted: 'writes where it may',
  other: 'reads a file that it may not see',
  beside: 'writes where it may not',
  part: 'changes a protected part of what it may write',
  tcp: 'connects over the network',
  unix: 'connects to a socket of the host',
  signal: 'reaches another process',
} as const
export type Attempt = keyof typeof ATTEMPTS

/** All that a held program still does. */
export const GRANTED: readonly Attempt[] = ['own', 'granted']

export interface Trial {
  readonly profile: SandboxProfile
  readonly request: ProcessRequest
  /** What is on the disk that only a program which is not held can have written. */
  left(): readonly Attempt[]
  /** As before anything was tried. */
  reset(): void
}

/** A program in a folder of its own that tries what its profile allows and what it does not. */
export function makeTrial(place: string, port: number, socket: string, timeoutMs: number): Trial {
  const at = (...names: readonly string[]) => join(place, ...names)
  const files = {
    own: at('package', 'own'),
    granted: at('granted', 'new'),
    other: at('other'),
    beside: at('beside'),
    part: at('granted', 'part'),
  }
  for (const name of ['package', 'state', 'granted']) mkdirSync(at(name), { mode: 0o700 })
  const reset = () => {
    for (const path of [files.granted, files.beside]) rmSync(path, { force: true })
    for (const path of [files.own, files.other, files.part]) writeFileSync(path, '')
  }
  reset()
  return {
    profile: {
      package: at('package'),
      workspace: place,
      state: at('state'),
      home: place,
      paths: [
        { path: at('granted'), access: 'write', pinned: true },
        { path: files.part, access: 'read' },
      ],
      protected: { secrets: [], frozen: [] },
      argumentFiles: [],
      network: { kind: 'none' },
      sockets: [],
      programs: [],
      limits: {},
    },
    request: {
      file: process.execPath,
      args: ['-e', PROGRAM, '--', JSON.stringify({ files, port, socket, pid: process.pid })],
      cwd: at('package'),
      env: { PATH: '/usr/bin:/bin' },
      stdin: '',
      timeoutMs,
      graceMs: 100,
      outputBytes: 65_536,
      signal: new AbortController().signal,
    },
    left: () => [
      ...(existsSync(files.beside) ? (['beside'] as const) : []),
      ...(readFileSync(files.part, 'utf8') === '' ? [] : (['part'] as const)),
    ],
    reset,
  }
}

/** Says of each attempt whether it came through. */
const PROGRAM = `
const { readFileSync, writeFileSync } = require('node:fs')
const { connect } = require('node:net')
const { argv } = require('node:process')
const { files, port, socket, pid } = JSON.parse(argv[1])
const tried = (attempt) => { try { attempt(); return true } catch { return false } }
const dialled = (to) => new Promise((done) => {
  const dial = connect(to, () => { dial.destroy(); done(true) })
  dial.on('error', () => done(false))
})
Promise.all([dialled({ host: '127.0.0.1', port }), dialled({ path: socket })]).then(([tcp, unix]) => {
  const done = {
    own: tried(() => readFileSync(files.own)),
    granted: tried(() => writeFileSync(files.granted, 'x')),
    other: tried(() => readFileSync(files.other)),
    beside: tried(() => writeFileSync(files.beside, 'x')),
    part: tried(() => writeFileSync(files.part, 'x')),
    signal: tried(() => process.kill(pid, 0)),
    tcp,
    unix,
  }
  process.stdout.write(JSON.stringify(done))
})
`

/** Undefined when it is no answer to every attempt. */
export function readAttempts(text: string): ReadonlySet<Attempt> | undefined {
  try {
    const told: unknown = JSON.parse(text)
    if (typeof told !== 'object' || told === null) return undefined
    const answers = new Map(Object.entries(told))
    const names = Object.keys(ATTEMPTS) as Attempt[] // the keys of a constant
    if (names.some((name) => typeof answers.get(name) !== 'boolean')) return undefined
    return new Set(names.filter((name) => answers.get(name) === true))
  } catch {
    return undefined
  }
}
