import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allHeard, type QuietFolders, watchQuiet } from './quiet-folders.ts'

let base: string
let folder: string
let opened: QuietFolders[]

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'orla-quiet-'))
  folder = join(base, 'folder')
  mkdirSync(join(folder, 'inner'), { recursive: true })
  for (const name of ['file', 'other']) writeFileSync(join(folder, name), 'x')
  opened = []
})
afterEach(() => {
  for (const one of opened) one.close()
  rmSync(base, { recursive: true, force: true })
})

function watched(...paths: string[]): QuietFolders {
  const quiet = watchQuiet(paths)
  if (quiet === undefined) throw new Error('the system does not watch')
  opened.push(quiet)
  return quiet
}

/** Changes a file between two lines of output, again and again; an answer asks for the next time. */
const HASTY = `
const { appendFileSync, writeSync, readSync } = require('node:fs')
for (let time = 0; ; time++) {
  writeSync(1, 'before\\n')
  for (let left = (time * 7919) % 20000; left > 0; left--);
  appendFileSync(process.argv[1], 'x')
  writeSync(1, 'after\\n')
  if (readSync(0, Buffer.alloc(1)) === 0) break
}`

describe.skipIf(process.platform !== 'linux')('folders that are watched for quiet', () => {
  it.each<[string, () => void]>([
    ['a file is written', () => writeFileSync(join(folder, 'file'), 'y')],
    ['a file gets another mode', () => chmodSync(join(folder, 'file'), 0o700)],
    ['a file comes', () => writeFileSync(join(folder, 'new'), '')],
    ['a file goes', () => rmSync(join(folder, 'file'))],
    ['something happens in another of them', () => writeFileSync(join(folder, 'inner/new'), '')],
    ['one of them is moved', () => renameSync(folder, join(base, 'moved'))],
    ['one of them is deleted', () => rmSync(join(folder, 'inner'), { recursive: true })],
  ])('Q89: are not any more once %s, and stay so', async (_, act) => {
    const quiet = watched(folder, join(folder, 'inner'))
    await allHeard()
    expect(quiet.areQuiet()).toBe(true)
    act()
    await allHeard()
    expect(quiet.areQuiet()).toBe(false)
    await allHeard()
    expect(quiet.areQuiet()).toBe(false)
  })

  it('Q89: a change is heard of before whatever was sent after it is acted upon', async () => {
    const file = join(folder, 'file')
    const child = spawn(process.execPath, ['-e', HASTY, file], { stdio: ['pipe', 'pipe', 'inherit'] })
    let [times, early, unheard] = [0, 0, 0]
    let quiet = watched(folder)
    await new Promise<void>((resolve, reject) => {
      const act = async () => {
        times++
        if (quiet.areQuiet()) early++
        await allHeard()
        if (quiet.areQuiet()) unheard++
        quiet.close()
        quiet = watched(folder)
        if (times < TIMES || (early === 0 && times < 50 * TIMES)) child.stdin.write('.')
        else child.stdin.end()
      }
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('after')) act().catch(reject)
      })
      child.once('close', () => resolve())
    })
    expect(unheard).toBe(0)
    // Otherwise waiting was not what did it.
    expect(early).toBeGreaterThan(0)
  })

  it('Q89: are not when so much was told at once that something may be lost, wherever it was', async () => {
    const quiet = watched(join(folder, 'inner'))
    watched(folder)
    await allHeard()
    // Events that are alike and follow each other count as one.
    for (let time = 0; time < 1_200; time++) chmodSync(join(folder, time % 2 === 0 ? 'file' : 'other'), 0o600)
    await allHeard()
    expect(quiet.areQuiet()).toBe(false)
    const after = watched(join(folder, 'inner'))
    await allHeard()
    expect(after.areQuiet()).toBe(true)
  })

  it('are none where one is missing, or there would be too many of them', () => {
    expect(watchQuiet([folder, join(folder, 'missing')])).toBeUndefined()
    const half = watched(...Array<string>(2_048).fill(folder))
    watched(...Array<string>(2_048).fill(folder))
    expect(watchQuiet([folder])).toBeUndefined()
    half.close()
    half.close()
    expect(watched(folder).areQuiet()).toBe(true)
  })

  it('keep no process alive, open or closed', async () => {
    const program = `
      const { watch } = require('node:fs')
      const [open, closed] = [0, 1].map(() => watch(process.argv[1], { persistent: false }))
      closed.close()
      console.log('watches')`
    const child = spawn(process.execPath, ['-e', program, folder], { stdio: 'ignore' })
    const code = await new Promise((resolve) => child.once('exit', resolve))
    expect(code).toBe(0)
  })
})

const TIMES = 300
