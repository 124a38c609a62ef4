import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lookFrom } from './look-at.ts'
import { lookerFile } from './looker.ts'
import { comparePaths } from './path-order.ts'
import { type Scan, scanFolder } from './scan.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'orla-scan-'))
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

const SCRIPT = '#!/bin/sh\n# Says hello.\necho hello\n'
function put(relative: string, content: string | Buffer = SCRIPT, mode = 0o755): string {
  const path = join(root, relative)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}
const names = (scan: Scan) => scan.files.map((file) => file.relative)
const problems = (scan: Scan) =>
  scan.problems.map(({ file, message }) => `${file.slice(root.length + 1)} ${message}`)
const isRoot = process.getuid?.() === 0

describe('scanFolder', () => {
  it('Q1: finds every executable, also in sub-folders, in the order of code points', () => {
    for (const name of ['b.sh', 'a/z.sh', 'a-b.sh', 'a/B.sh', 'é/x.sh', '😀/x.sh', '\uffee/x.sh']) put(name)
    put('notes.txt', 'text', 0o644)
    const scan = scanFolder(root)
    expect(names(scan)).toEqual(['a-b.sh', 'a/B.sh', 'a/z.sh', 'b.sh', 'é/x.sh', '\uffee/x.sh', '😀/x.sh'])
    expect(scan.problems).toEqual([])
    expect(scan.directories.toSorted(comparePaths)).toEqual(
      ['', '/a', '/é', '/\uffee', '/😀'].map((folder) => root + folder),
    )
    expect(scan.files[0]).toMatchObject({ path: `${root}/a-b.sh`, mode: 0o100755, size: SCRIPT.length })
  })

  it('Q4: any execute bit counts', () => {
    put('owner', SCRIPT, 0o744)
    put('group', SCRIPT, 0o654)
    put('other', SCRIPT, 0o645)
    put('none', SCRIPT, 0o644)
    expect(names(scanFolder(root))).toEqual(['group', 'other', 'owner'])
  })

  it('Q19: a missing folder is no error, and is reported to be watched', () => {
    const missing = join(root, 'tools')
    expect(scanFolder(missing)).toMatchObject({
      missing: true,
      files: [],
      problems: [],
      directories: [missing],
    })
    expect(scanFolder(root).missing).toBe(false)
  })

  it('a file where the folder should be is a problem', () => {
    const file = put('tools')
    expect(scanFolder(file)).toMatchObject({
      missing: false,
      problems: [{ file, message: 'is not a folder' }],
    })
  })

  it('passes over hidden files, caches and editor backups', () => {
    for (const name of [
      '.hidden',
      '.git/hook',
      'node_modules/x',
      '__pycache__/x',
      'a.sh~',
      'a.swp',
      '.#a',
      '#a#',
    ])
      put(name)
    const scan = scanFolder(root)
    expect(names(scan)).toEqual([])
    expect(scan.directories).toEqual([root])
  })

  it('Q10: a folder with a manifest is a package, and nothing in it a loose tool', () => {
    put('plain.sh')
    put('fs/v0.1.0/tool.yaml', 'name: fs\n', 0o644)
    put('fs/v0.1.0/bin/fs')
    put('old/orla-tool.json', '{}', 0o644)
    put('old/run.sh')
    put('zip/manifest.json', '{}', 0o644)
    put('zip/run.sh')
    put('folder/tool.yaml/x.sh')
    const scan = scanFolder(root)
    expect(names(scan)).toEqual(['folder/tool.yaml/x.sh', 'plain.sh'])
    expect(scan.packages.map(({ path }) => path)).toEqual(
      ['fs/v0.1.0', 'old', 'zip'].map((name) => join(root, name)),
    )
    expect(scan.directories).toContain(join(root, 'old'))
    expect(scan.directories).not.toContain(join(root, 'fs/v0.1.0/bin'))
  })

  it('a manifest in the root leaves the root a folder of tools', () => {
    put('manifest.json', '{}', 0o644)
    put('a.sh')
    expect(names(scanFolder(root))).toEqual(['a.sh'])
  })

  it('tells sidecars from tools, and refuses huge ones', () => {
    const path = put('a.tool.yaml', `description: ${'x'.repeat(20_000)}`)
    const scan = scanFolder(root)
    expect(names(scan)).toEqual([])
    expect(scan.sidecars.get(path)?.size).toBe(20_013)
    put('a.tool.yaml', Buffer.alloc(1_048_577, ' '))
    const again = scanFolder(root)
    expect([again.sidecars.size, problems(again)]).toEqual([0, ['a.tool.yaml is larger than 1 MiB']])
  })

  it('tells scripts that are not executable from other files', () => {
    put('b.py', '#!/usr/bin/env python3\n', 0o644)
    put('a.py', 'import os\n', 0o644)
    put('notes.md', '#!/bin/sh\n', 0o644)
    const scan = scanFolder(root)
    expect(scan.scripts.map(({ relative }) => relative)).toEqual(['a.py', 'b.py'])
    chmodSync(join(root, 'b.py'), 0o755)
    const again = scanFolder(root, { previous: scan })
    expect([names(again), again.scripts]).toEqual([['b.py'], [scan.scripts[0]]])
  })
})

describe('hostile folders', () => {
  it('sockets and pipes are never opened, and a problem only when executable', async () => {
    execFileSync('mkfifo', ['-m', '755', join(root, 'pipe')])
    execFileSync('mkfifo', ['-m', '644', join(root, 'quiet.sh')])
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve))
    chmodSync(join(root, 'socket'), 0o755)
    symlinkSync('pipe', join(root, 'link'))
    try {
      expect(problems(scanFolder(root)).toSorted()).toEqual([
        'link is executable, but a named pipe and not a file',
        'pipe is executable, but a named pipe and not a file',
        'socket is executable, but a socket and not a file',
      ])
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it('Q1: a link to an executable is served; broken and circular links are problems', () => {
    const target = put('real.sh')
    symlinkSync('real.sh', join(root, 'alias.sh'))
    symlinkSync('nowhere', join(root, 'broken.sh'))
    symlinkSync('loop.sh', join(root, 'loop.sh'))
    const scan = scanFolder(root)
    expect(names(scan)).toEqual(['alias.sh', 'real.sh'])
    expect(scan.linked).toEqual([target])
    expect(problems(scan).toSorted()).toEqual([
      'broken.sh is a link to nowhere, which is not there',
      'loop.sh is a link to itself',
    ])
  })

  it('linked folders are read once, by their own path where they have one', () => {
    put('z/tool.sh')
    symlinkSync('z', join(root, 'a'))
    const outside = mkdtempSync(join(tmpdir(), 'orla-outside-'))
    writeFileSync(join(outside, 'far.sh'), SCRIPT, { mode: 0o755 })
    symlinkSync(outside, join(root, 'b'))
    symlinkSync(outside, join(root, 'c'))
    symlinkSync('..', join(root, 'z/up'))
    try {
      const scan = scanFolder(root)
      expect(names(scan)).toEqual(['b/far.sh', 'z/tool.sh'])
      expect(problems(scan)).toEqual(['z/up is a link to a folder that contains it'])
    } finally {
      rmSync(outside, { recursive: true })
    }
  })

  it('folders may be deep, but not without end', () => {
    put(`${'d/'.repeat(32)}fine.sh`)
    put(`${'d/'.repeat(33)}deep.sh`)
    const scan = scanFolder(root)
    expect(scan.files).toHaveLength(1)
    expect(problems(scan)).toEqual([
      `${'d/'.repeat(33).slice(0, -1)} lies deeper than 32 folders: not searched`,
    ])
  })

  it.skipIf(isRoot)('unreadable folders are problems (skipped: root reads everything)', () => {
    put('closed/a.sh')
    chmodSync(join(root, 'closed'), 0o000)
    put('fine.sh')
    try {
      const scan = scanFolder(root)
      expect(names(scan)).toEqual(['fine.sh'])
      expect(problems(scan)).toEqual(['closed cannot be read (EACCES)'])
    } finally {
      chmodSync(join(root, 'closed'), 0o755)
    }
  })

  it.each(['line\nbreak.sh', 'esc\u001b[31m.sh', '-rf', 'grüße.sh', 'two words.sh', '日本.sh', '%n.sh'])(
    'the name %j is an ordinary name',
    (name) => {
      put(name)
      expect(names(scanFolder(root))).toEqual([name])
    },
  )

  it('a name that is not UTF-8 is a problem', () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff])]), SCRIPT, { mode: 0o755 })
    expect(scanFolder(root).problems).toMatchObject([{ message: 'has a name that is not UTF-8' }])
  })
})

describe('scanning again', () => {
  it('gives the same object for a file that has not changed', () => {
    const path = put('a.sh')
    put('b/c.sh')
    put('b/a.tool.yaml', '', 0o644)
    const first = scanFolder(root)
    const second = scanFolder(root, { previous: first })
    expect(second.seen).toHaveLength(3)
    for (const [index, file] of second.seen.entries()) expect(file).toBe(first.seen[index])
    utimesSync(path, 1_000_000, 1_000_000)
    const third = scanFolder(root, { previous: second })
    expect(third.files[0]).not.toBe(first.files[0])
    expect(third.files[1]).toBe(first.files[1])
  })

  it('notices new, removed, replaced and re-moded files', () => {
    put('a.sh')
    const replaced = put('b.sh')
    put('c.sh')
    const kept = put('e.sh')
    const first = scanFolder(root)
    rmSync(join(root, 'a.sh'))
    const { atimeMs, mtimeMs } = statSync(replaced)
    const next = put('.new', SCRIPT)
    utimesSync(next, atimeMs / 1000, mtimeMs / 1000)
    renameSync(next, replaced)
    chmodSync(join(root, 'c.sh'), 0o644)
    put('d.sh')
    const second = scanFolder(root, { previous: first })
    expect(names(second)).toEqual(['b.sh', 'd.sh', 'e.sh'])
    const same = second.files.filter((file) => first.files.includes(file))
    expect(same.map(({ path }) => path)).toEqual([kept])
  })

  it('looks only at files of wanted names, and into every folder', () => {
    for (const name of ['a.sh', 'b.sh', 'sub/a.sh', 'sub/c.py']) put(name)
    put('package/tool.yaml', '', 0o644)
    symlinkSync('b.sh', join(root, 'link'))
    symlinkSync('sub', join(root, 'linked'))
    const scan = scanFolder(root, { isWanted: (name) => name === 'a.sh' })
    expect(names(scan)).toEqual(['a.sh', 'sub/a.sh'])
    expect(scan.packages).toEqual([{ path: join(root, 'package'), isLink: false, names: ['tool.yaml'] }])
  })

  it('Q1: 10,000 files take moments', () => {
    for (let i = 0; i < 10_000; i++) writeFileSync(join(root, `tool-${i}.sh`), SCRIPT, { mode: 0o755 })
    expect(readdirSync(root)).toHaveLength(10_000)
    const begun = performance.now()
    const first = scanFolder(root)
    const second = scanFolder(root, { previous: first })
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(second.files).toHaveLength(10_000)
    expect(second.files[4_321]).toBe(first.files[4_321])
  })
})

describe.each([
  ['one by one', false],
  ['together', true],
])('a folder of many files, looked at %s', (_, together) => {
  const dist = join(import.meta.dirname, '../../dist')
  beforeEach(({ skip }) => {
    if (together && lookerFile(dist) === undefined) skip('the looker was not built')
    if (together) lookFrom(dist)
  })

  it('has what a folder of few files has', async () => {
    for (const folder of ['few', 'many']) {
      put(`${folder}/tool.sh`)
      put(`${folder}/two\nlines.sh`)
      put(`${folder}/größe 🙂.sh`)
      put(`${folder}/not-yet.sh`, SCRIPT, 0o644)
      put(`${folder}/tool.sh.tool.yaml`, 'description: x\n', 0o644)
      put(`${folder}/large.tool.yaml`, 'x'.repeat(1_048_577), 0o644)
      put(`${folder}/.hidden.sh`)
      put(`${folder}/sub/inner.sh`)
      writeFileSync(Buffer.concat([Buffer.from(`${root}/${folder}/`), Buffer.from([0xff])]), SCRIPT)
      symlinkSync('tool.sh', join(root, folder, 'link.sh'))
      symlinkSync('nowhere', join(root, folder, 'dangling.sh'))
      execFileSync('mkfifo', ['-m', '755', join(root, folder, 'pipe')])
    }
    for (let count = 0; count < 200; count++) put(`many/more-${count}.txt`, 'text', 0o644)
    const { files, scripts, sidecars, problems: found } = scanFolder(root)
    const inside = (folder: string) => ({
      files: files
        .filter(({ relative }) => relative.startsWith(folder))
        .map((one) => one.relative.slice(folder.length)),
      scripts: scripts
        .filter(({ relative }) => relative.startsWith(folder))
        .map((one) => one.relative.slice(folder.length)),
      sidecars: [...sidecars.keys()]
        .filter((file) => file.includes(folder))
        .map((file) => file.split(folder)[1]),
      problems: found
        .filter(({ file }) => file.includes(`/${folder}`))
        .map(({ file, message }) => `${file.split(folder)[1]}: ${message.replaceAll(folder, '')}`)
        .sort(),
    })
    expect(inside('many/')).toEqual(inside('few/'))
    expect(inside('many/').files).toEqual(
      ['größe 🙂.sh', 'link.sh', 'sub/inner.sh', 'tool.sh', 'two\nlines.sh'].toSorted(comparePaths),
    )
    expect(inside('many/').problems).toHaveLength(4)
    for (const { path, mtimeMs, ctimeMs, size, mode, ino } of files)
      expect({ mtimeMs, ctimeMs, size, mode, ino }).toEqual(expect.objectContaining(pick(statSync(path))))
  })

  it('is not looked at for other names, and stays what it was where nothing changed', () => {
    for (let count = 0; count < 100; count++) put(`tool-${count}.sh`)
    expect(names(scanFolder(root, { isWanted: (name) => name === 'tool-7.sh' }))).toEqual(['tool-7.sh'])
    const first = scanFolder(root)
    writeFileSync(join(root, 'tool-8.sh'), `${SCRIPT}#\n`)
    const second = scanFolder(root, { previous: first })
    const isSame = ({ relative }: { relative: string }) =>
      first.files.find((one) => one.relative === relative) ===
      second.files.find((one) => one.relative === relative)
    expect(second.files.filter((file) => !isSame(file)).map(({ relative }) => relative)).toEqual([
      'tool-8.sh',
    ])
  })
})

function pick({ mtimeMs, ctimeMs, size, mode, ino }: ReturnType<typeof statSync> & object) {
  return { mtimeMs, ctimeMs, size, mode, ino }
}
