import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DirectoryWatcher, watchDirectories } from './watch.ts'

const DEADLINE_MS = 20_000
const SCRIPT = '#!/bin/sh\necho hello\n'

let base: string
let tools: string
let watcher: DirectoryWatcher
let changes: number
let wake: (() => void) | undefined

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'orla-watch-')))
  tools = join(base, 'tools')
  mkdirSync(tools)
  changes = 0
  wake = undefined
  watcher = watchDirectories({
    onChange: () => {
      changes++
      wake?.()
    },
    onError: (error) => {
      throw error
    },
  })
})
afterEach(() => {
  watcher.close()
  vi.useRealTimers()
  rmSync(base, { recursive: true, force: true })
})

function put(path: string, content = SCRIPT): void {
  writeFileSync(path, content)
  chmodSync(path, 0o755)
}

describe('watchDirectories notices', () => {
  /** Does something and waits until it is reported. */
  async function noticed(act: () => void): Promise<void> {
    const before = changes
    const change = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no change was reported')), DEADLINE_MS)
      wake = () => {
        if (changes === before) return
        clearTimeout(timer)
        resolve()
      }
    })
    act()
    await change
  }
  /** New folders are reported once more, because they may have changed while they were being read. */
  const follow = (directories: readonly string[], files?: readonly string[]) =>
    noticed(() => watcher.update(directories, files))

  it('new, changed, re-moded, replaced, renamed and removed files', async () => {
    const file = join(tools, 'a.sh')
    await follow([tools])
    await noticed(() => writeFileSync(file, SCRIPT))
    await noticed(() => chmodSync(file, 0o755))
    await noticed(() => writeFileSync(file, `${SCRIPT}# more\n`))
    for (let save = 0; save < 3; save++) {
      // The way editors save: the file that was watched is another one afterwards.
      await noticed(() => {
        put(join(tools, '.a.sh.tmp'), `${SCRIPT}# save ${save}\n`)
        renameSync(join(tools, '.a.sh.tmp'), file)
      })
    }
    await noticed(() => renameSync(file, join(tools, 'b.sh')))
    await noticed(() => rmSync(join(tools, 'b.sh')))
  })

  it('new sub-folders, and what happens in them once they are followed', async () => {
    const sub = join(tools, 'sub')
    await follow([tools])
    await noticed(() => mkdirSync(sub))
    await follow([tools, sub])
    await noticed(() => put(join(sub, 'a.sh')))
    await noticed(() => rmSync(sub, { recursive: true }))
  })

  it('a folder that is deleted and made again', async () => {
    await follow([tools])
    for (let round = 0; round < 3; round++) {
      await noticed(() => rmSync(tools, { recursive: true }))
      watcher.update([tools])
      await noticed(() => mkdirSync(tools))
      await follow([tools])
      await noticed(() => put(join(tools, 'a.sh')))
    }
  })

  it('a folder that is deleted and made again in one go', async () => {
    await follow([tools])
    await noticed(() => {
      rmSync(tools, { recursive: true })
      mkdirSync(tools)
    })
    await follow([tools])
    await noticed(() => put(join(tools, 'a.sh')))
  })

  it('a folder that is replaced at once', async () => {
    await follow([tools])
    const next = join(base, 'next')
    mkdirSync(next)
    await noticed(() => {
      renameSync(tools, join(base, 'old'))
      renameSync(next, tools)
    })
    await follow([tools])
    await noticed(() => put(join(tools, 'a.sh')))
  })

  it('a link that is pointed elsewhere', async () => {
    const link = join(base, 'link')
    const other = join(base, 'other')
    mkdirSync(other)
    symlinkSync(tools, link)
    await follow([link])
    await noticed(() => put(join(tools, 'a.sh')))
    await noticed(() => {
      symlinkSync(other, join(base, '.link'))
      renameSync(join(base, '.link'), link)
    })
    await follow([link])
    await noticed(() => put(join(other, 'a.sh')))
  })

  it('Q19: a missing folder when it appears, however many folders above it are missing', async () => {
    const deep = join(base, 'x/y/tools')
    watcher.update([deep])
    await noticed(() => mkdirSync(join(base, 'x')))
    watcher.update([deep])
    await noticed(() => mkdirSync(join(base, 'x/y')))
    watcher.update([deep])
    await noticed(() => mkdirSync(deep))
    await follow([deep])
    await noticed(() => put(join(deep, 'a.sh')))
  })

  it('a file by its name: when it appears, is replaced, goes, or changes behind a link', async () => {
    const config = join(base, 'orla.yaml')
    const real = join(base, 'dotfiles/orla.yaml')
    watcher.update([], [config])
    await noticed(() => writeFileSync(config, 'port: 1\n'))
    await noticed(() => {
      writeFileSync(join(base, '.orla.yaml.tmp'), 'port: 2\n')
      renameSync(join(base, '.orla.yaml.tmp'), config)
    })
    await noticed(() => rmSync(config))
    mkdirSync(join(base, 'dotfiles'))
    writeFileSync(real, 'port: 3\n')
    await noticed(() => symlinkSync(real, config))
    watcher.update([], [config])
    await noticed(() => writeFileSync(real, 'port: 4\n'))
  })
})

describe('watchDirectories', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
    // The folders of these tests count as old.
    vi.setSystemTime(Date.now() + 3_600_000)
  })

  /** Waits until the system has delivered the news of `name`, and with it everything that happened before. */
  async function delivered(folder: string, name: string, act: () => void): Promise<void> {
    const observer = watch(folder)
    const event = new Promise<void>((resolve) => {
      observer.on('change', (_event, changed) => {
        if (changed === name) resolve()
      })
    })
    act()
    await event
    observer.close()
    await settled()
  }
  const touch = (path: string) => writeFileSync(path, SCRIPT)

  it('reports a burst once, after it is over', async () => {
    watcher.update([tools])
    await delivered(tools, 'last', () => {
      for (let i = 0; i < 50; i++) put(join(tools, `tool-${i}`))
      touch(join(tools, 'last'))
    })
    vi.advanceTimersByTime(99)
    expect(changes).toBe(0)
    vi.advanceTimersByTime(1)
    expect(changes).toBe(1)
    vi.advanceTimersByTime(10_000)
    expect(changes).toBe(1)
  })

  it('reports a burst without end in between', async () => {
    watcher.update([tools])
    for (let i = 0; i < 12; i++) {
      await delivered(tools, `tool-${i}`, () => touch(join(tools, `tool-${i}`)))
      vi.advanceTimersByTime(90)
    }
    expect(changes).toBe(2)
  })

  it('is not disturbed by reading, running and what both leave behind', async () => {
    const file = join(tools, 'a.sh')
    put(file)
    const python = join(tools, 'b.py')
    put(python)
    watcher.update([tools])
    await delivered(tools, '.end', () => {
      readFileSync(file)
      readdirSync(tools)
      execFileSync(file)
      execFileSync('/bin/sh', [file])
      mkdirSync(join(tools, '__pycache__'))
      touch(join(tools, 'a.sh~'))
      touch(join(tools, '.a.sh.swp'))
      touch(join(tools, '.end'))
    })
    vi.advanceTimersByTime(10_000)
    expect(changes).toBe(0)
  })

  it('is not disturbed by the neighbours of a folder or file', async () => {
    watcher.update([tools], [join(base, 'orla.yaml')])
    await delivered(base, 'end', () => {
      touch(join(base, 'notes.txt'))
      mkdirSync(join(base, 'src'))
      touch(join(base, 'end'))
    })
    vi.advanceTimersByTime(10_000)
    expect(changes).toBe(0)
  })

  it('forgets what is no longer asked for, and everything when closed', async () => {
    const other = join(base, 'other')
    mkdirSync(other)
    watcher.update([tools, other])
    watcher.update([other])
    await delivered(tools, 'a', () => touch(join(tools, 'a')))
    vi.advanceTimersByTime(10_000)
    expect(changes).toBe(0)
    await delivered(other, 'a', () => touch(join(other, 'a')))
    watcher.close()
    watcher.update([tools])
    await delivered(tools, 'b', () => touch(join(tools, 'b')))
    vi.advanceTimersByTime(10_000)
    expect(changes).toBe(0)
  })

  it('reports a folder that changed just before it was watched, once', () => {
    vi.setSystemTime(Date.now() - 3_600_000)
    watcher.update([tools])
    vi.advanceTimersByTime(10_000)
    expect(changes).toBe(1)
    watcher.update([tools])
    vi.advanceTimersByTime(10_000)
    expect(changes).toBe(1)
  })
})
