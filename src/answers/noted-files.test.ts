import * as files from 'node:fs'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { notedFiles } from './noted-files.ts'

let looked: [path: unknown, wasThere: boolean, follows: boolean][]
let ended: [path: unknown, end: unknown][]
let placed: unknown[]
let doubts: number
beforeEach(() => {
  looked = []
  ended = []
  placed = []
  doubts = 0
})

const noted = notedFiles(files, {
  looked: (...look) => void looked.push(look),
  ended: (...end) => void ended.push(end),
  placed: (path) => void placed.push(path),
  doubted: () => void doubts++,
})

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'noted-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('files that are noted', () => {
  it('has every name of node:fs', () => {
    expect(Object.keys(noted).sort()).toEqual(Object.keys(files).sort())
    expect(noted.constants).toBe(files.constants)
  })

  it('notes what was there and what was not, and whether a link was followed', () => {
    const folder = scratch()
    const [file, none] = [join(folder, 'file'), join(folder, 'none')]
    noted.writeFileSync(file, 'text')
    expect(noted.readFileSync(file, 'utf8')).toBe('text')
    expect(noted.statSync(none, { throwIfNoEntry: false })).toBeUndefined()
    expect(noted.existsSync(none)).toBe(false)
    expect(noted.lstatSync(file).isFile()).toBe(true)
    expect(() => noted.readdirSync(join(file, 'below'))).toThrow('ENOTDIR')
    expect(() => noted.readdirSync(file)).toThrow('ENOTDIR')
    expect(noted.readdirSync(folder)).toEqual(['file'])
    expect(looked).toEqual([
      [file, true, true],
      [none, false, true],
      [none, false, true],
      [file, true, false],
      [join(file, 'below'), false, true],
      [file, false, true],
      [folder, true, true],
    ])
    expect(doubts).toBe(0)
  })

  it('notes what is opened to be read, not what is only written', () => {
    const file = join(scratch(), 'file')
    const { O_WRONLY, O_CREAT, O_RDWR, O_RDONLY, O_NONBLOCK } = files.constants
    for (const flags of ['w', 'a', O_WRONLY | O_CREAT]) noted.closeSync(noted.openSync(file, flags))
    expect(looked).toEqual([])
    for (const flags of ['r', 'r+', 'w+', O_RDWR, O_RDONLY | O_NONBLOCK]) {
      const fd = noted.openSync(file, flags)
      expect(noted.readFileSync(fd, 'utf8')).toBe('')
      expect(noted.fstatSync(fd).size).toBe(0)
      noted.closeSync(fd)
    }
    expect(looked).toEqual(Array.from({ length: 5 }, () => [file, true, true]))
    expect(doubts).toBe(0)
  })

  it('notes what is put in its place', () => {
    const file = join(scratch(), 'file')
    noted.writeFileSync(`${file}.part`, 'text')
    noted.renameSync(`${file}.part`, file)
    expect(placed).toEqual([file])
    expect(() => noted.renameSync(`${file}.part`, file)).toThrow('ENOENT')
    expect([placed.length, doubts]).toEqual([1, 0])
  })

  it('notes where paths end', () => {
    const folder = files.realpathSync(scratch())
    symlinkSync(folder, join(folder, 'link'))
    expect(noted.realpathSync(join(folder, 'link'))).toBe(folder)
    expect(noted.realpathSync.native(join(folder, 'link'))).toBe(folder)
    expect(ended).toEqual(Array.from({ length: 2 }, () => [join(folder, 'link'), folder]))
    expect(() => noted.realpathSync(join(folder, 'none'))).toThrow('ENOENT')
    expect(doubts).toBe(1)
  })

  it('doubts whatever it does not know', () => {
    const known =
      /^(existsSync|readdirSync|readFileSync|statSync|lstatSync|readlinkSync|openSync|realpathSync)$/
    const doubtful = Object.keys(files).filter((name) => {
      doubts = 0
      void noted[name as keyof typeof files]
      return doubts > 0
    })
    expect(doubtful).toContain('promises')
    expect(doubtful).toContain('readFile')
    expect(doubtful).toContain('opendirSync')
    expect(doubtful).toContain('createReadStream')
    expect(doubtful.filter((name) => known.test(name))).toEqual([])
    // What is neither noted nor doubted reads nothing by a path.
    const silent = Object.keys(files).filter((name) => !known.test(name) && !doubtful.includes(name))
    const reads = /read|stat|access|exists|dir$|glob|watch|copy|cp|stream/i
    expect(silent.filter((name) => reads.test(name))).toEqual(['Dir', 'Stats', 'fstatSync', 'readSync'])
  })
})
