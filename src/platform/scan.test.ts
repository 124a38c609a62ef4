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
    expect(scan.files[0]).toMatchObject({ path: `${root}/a-b.sh`, head: SCRIPT, size: SCRIPT.length })
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
    expect(scan.packages).toEqual(['fs/v0.1.0', 'old', 'zip'].map((name) => join(root, name)))
    expect(scan.directories).toContain(join(root, 'old'))
    expect(scan.directories).not.toContain(join(root, 'fs/v0.1.0/bin'))
  })

  it('a manifest in the root leaves the root a folder of tools', () => {
    put('manifest.json', '{}', 0o644)
    put('a.sh')
    expect(names(scanFolder(root))).toEqual(['a.sh'])
  })

  it('reads sidecars whole, and never takes them for tools', () => {
    const path = put('a.tool.yaml', `description: ${'x'.repeat(20_000)}`)
    const scan = scanFolder(root)
    expect(names(scan)).toEqual([])
    expect(scan.sidecars.get(path)?.head).toHaveLength(20_013)
    put('a.tool.yaml', Buffer.alloc(1_048_577, ' '))
    expect(problems(scanFolder(root))).toEqual(['a.tool.yaml is larger than 1 MiB'])
  })

  it('hints at scripts that only lack the execute bit', () => {
    put("it's.py", '#!/usr/bin/env python3\n', 0o644)
    put('library.py', 'import os\n', 0o644)
    put('notes.md', '#!/bin/sh\n', 0o644)
    const scan = scanFolder(root)
    expect(problems(scan)).toEqual(["it's.py has a #! line but is not executable"])
    expect(scan.problems[0]?.hint).toBe(`chmod +x '${root}/it'\\''s.py'`)
    chmodSync(join(root, "it's.py"), 0o755)
    const again = scanFolder(root, { previous: scan })
    expect([names(again), problems(again)]).toEqual([["it's.py"], []])
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

  it.skipIf(isRoot)('unreadable files and folders are problems (skipped: root reads everything)', () => {
    put('secret.sh', SCRIPT, 0o311)
    put('closed/a.sh')
    chmodSync(join(root, 'closed'), 0o000)
    put('fine.sh')
    try {
      const scan = scanFolder(root)
      expect(names(scan)).toEqual(['fine.sh'])
      expect(problems(scan).toSorted()).toEqual([
        'closed cannot be read (EACCES)',
        'secret.sh cannot be read (EACCES)',
      ])
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

  it('empty, huge and binary files give what they have', () => {
    put('empty', '')
    put('binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0xff]))
    put('huge', `#!/bin/sh\n${'# more words\n'.repeat(100_000)}`)
    put('one-line', 'x'.repeat(100_000))
    const heads = new Map(scanFolder(root).files.map((file) => [file.relative, file.head]))
    expect(heads.get('empty')).toBe('')
    expect(heads.get('binary')).toBe('\x7fELF\0\0\ufffd')
    expect(heads.get('huge')?.length).toBeGreaterThan(16_000)
    expect(heads.get('huge')?.endsWith('words\n')).toBe(true)
    expect(heads.get('one-line')).toHaveLength(16_384)
  })

  it('keeps only what is asked for, and reads on where that is cut', () => {
    const endOfComment = (text: string) => /^(?:#.*(?:\n|$))*/.exec(text)?.[0].length ?? 0
    const long = `# é${'# words é\n'.repeat(1_000)}`
    put('short.sh', SCRIPT)
    put('long.sh', `${long}echo\n${'x\n'.repeat(9_000)}`)
    const [longer, shorter] = scanFolder(root, { headEnd: endOfComment }).files
    expect(shorter?.head).toBe('#!/bin/sh\n# Says hello.\n')
    expect(longer?.head).toBe(long)
  })
})

describe('scanning again', () => {
  const aged = (path: string) => utimesSync(path, 1_000_000, 1_000_000)

  it('reuses what has not changed without reading it', () => {
    const path = put('a.sh')
    let asked = 0
    const headEnd = (text: string) => {
      asked++
      return text.length
    }
    const first = scanFolder(root, { headEnd })
    // As if it had been read long after its last change.
    const previous = { ...first, known: { ...first.known, sinceMs: first.known.sinceMs + 60_000 } }
    expect(asked).toBe(1)
    const second = scanFolder(root, { headEnd, previous })
    expect(asked).toBe(1)
    expect(second.files[0]).toBe(first.files[0])
    aged(path)
    expect(scanFolder(root, { headEnd, previous }).files[0]).not.toBe(first.files[0])
    expect(asked).toBe(2)
  })

  it('reads again what changed just before it was read, and keeps it when it is the same', () => {
    const path = put('a.sh', 'one')
    const first = scanFolder(root)
    expect(scanFolder(root, { previous: first }).files[0]).toBe(first.files[0])
    const { atimeMs, mtimeMs } = statSync(path)
    writeFileSync(path, 'two')
    utimesSync(path, atimeMs / 1000, mtimeMs / 1000)
    expect(scanFolder(root, { previous: first }).files[0]?.head).toBe('two')
  })

  it('notices new, removed, replaced and re-moded files', () => {
    put('a.sh')
    put('b.sh')
    put('c.sh')
    const first = scanFolder(root)
    rmSync(join(root, 'a.sh'))
    put('.new', '#!/bin/sh\n# Replaced.\n')
    renameSync(join(root, '.new'), join(root, 'b.sh'))
    chmodSync(join(root, 'c.sh'), 0o644)
    put('d.sh')
    const second = scanFolder(root, { previous: first })
    expect(names(second)).toEqual(['b.sh', 'd.sh'])
    expect(second.files[0]?.head).toBe('#!/bin/sh\n# Replaced.\n')
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
