import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { compactJournals } from './compact.ts'
import { journalsIn, readJournals, SNAPSHOT } from './reader.ts'
import { encodeRecord, findRecords } from './record.ts'
import { openJournal } from './writer.ts'

it('what several wrote is there, and nothing is made for who wrote nothing', () => {
  const folder = makeFolder()
  const [one, other] = [openJournal(folder), openJournal(folder)]
  openJournal(folder)
  one.append('a')
  other.append('b')
  one.append('c')
  expect([...readJournals(folder).records].sort()).toEqual(['a', 'b', 'c'])
  expect(journalsIn(folder)).toHaveLength(2)
})

it('Q94: a file that ends anywhere gives the records before its end', () => {
  const texts = fc.array(
    fc.string().map((text) => JSON.stringify(text)),
    { minLength: 1, maxLength: 5 },
  )
  fc.assert(
    fc.property(texts, fc.nat(), (all, cut) => {
      const parts = all.map(encodeRecord)
      const whole = Buffer.concat(parts)
      const length = cut % (whole.length + 1)
      const { texts: found, end, damaged } = findRecords(whole.subarray(0, length))
      let complete = 0
      for (let bytes = 0; bytes + (parts[complete]?.length ?? Number.POSITIVE_INFINITY) <= length; )
        bytes += parts[complete++]?.length ?? 0
      expect(found).toEqual(all.slice(0, complete))
      expect(end).toBe(Buffer.concat(parts.slice(0, complete)).length)
      expect(damaged).toBe(false)
    }),
  )
})

it('Q94: a record after a torn one counts', () => {
  const folder = makeFolder()
  const journal = openJournal(folder)
  journal.append('first')
  const [name = ''] = journalsIn(folder)
  appendFileSync(join(folder, name), encodeRecord('torn').subarray(0, 12))
  expect(readJournals(folder)).toMatchObject({ records: ['first'], damaged: [] })
  journal.append('last')
  expect(readJournals(folder)).toMatchObject({ records: ['first', 'last'], damaged: [name] })
})

it('a file that was removed under its writer is followed by another', () => {
  const folder = makeFolder()
  const journal = openJournal(folder)
  journal.append('gone')
  rmSync(folder, { recursive: true })
  journal.append('kept')
  expect(readJournals(folder).records).toEqual(['kept'])
})

it('taking up changes nothing of what is read, and files of ended processes go', async () => {
  const folder = makeFolder()
  const journal = openJournal(folder)
  journal.append('1')
  leftBehind(folder, ['2', '3'])
  expect(await compactJournals(folder, sumUp, { wait: true })).toEqual({ setAside: [] })
  expect(journalsIn(folder)).toHaveLength(1)
  journal.append('4')
  expect(readJournals(folder).records).toEqual(['6', '4'])
  await compactJournals(folder, sumUp, { wait: true })
  expect(readJournals(folder).records).toEqual(['10'])
})

it('Q94: ended between the snapshot and the removal of what is in it, nothing counts twice', async () => {
  const folder = makeFolder()
  const name = leftBehind(folder, ['2', '3'])
  const copy = join(folder, 'copy')
  copyFileSync(join(folder, name), copy)
  await compactJournals(folder, sumUp, { wait: true })
  copyFileSync(copy, join(folder, name))
  expect(readJournals(folder).records).toEqual(['5'])
  // Also much later, as long as the file is there.
  await compactJournals(folder, sumUp, { wait: true, now: () => Date.now() + 3_600_000 })
  expect(readJournals(folder).records).toEqual(['5'])
  expect(journalsIn(folder)).toEqual([])
})

it('a file that grows too long is followed by another, and goes while its process lives', async () => {
  const folder = makeFolder()
  const journal = openJournal(folder)
  const long = '1'.repeat(200_000)
  for (let i = 0; i < 4; i++) journal.append(long)
  expect(journalsIn(folder)).toHaveLength(2)
  await compactJournals(folder, async (all) => [String(all.length)], { wait: true })
  expect(journalsIn(folder)).toHaveLength(1)
  expect(readJournals(folder).records).toEqual(['4'])
})

it('Q94: a damaged snapshot is set aside, and what can be read of it stays', async () => {
  const folder = makeFolder()
  leftBehind(folder, ['1'])
  await compactJournals(folder, async () => ['5', '6', '7'], { wait: true })
  const file = join(folder, SNAPSHOT)
  truncateSync(file, readFileSync(file).length - 1)
  expect(readJournals(folder)).toEqual(expect.objectContaining({ records: ['5', '6'], damaged: [SNAPSHOT] }))
  const done = await compactJournals(folder, sumUp, { wait: true })
  expect(done?.setAside).toEqual([expect.stringContaining('snapshot.damaged-')])
  expect(readJournals(folder)).toMatchObject({ records: ['11'], damaged: [] })

  writeFileSync(file, 'nonsense')
  expect(readJournals(folder)).toMatchObject({ records: [], damaged: [SNAPSHOT] })
  await compactJournals(folder, sumUp, { wait: true })
  expect(readJournals(folder).damaged).toEqual([])
  expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(2)
})

it('who finds another one at it leaves it to that one', async () => {
  const folder = makeFolder()
  leftBehind(folder, ['1'])
  let release = () => {}
  const blocked = new Promise<void>((resolve) => {
    release = resolve
  })
  const first = compactJournals(
    folder,
    async (all) => {
      await blocked
      return sumUp(all)
    },
    { wait: true },
  )
  expect(await compactJournals(folder, sumUp, { wait: false })).toBeUndefined()
  release()
  await first
  expect(readJournals(folder).records).toEqual(['1'])
})

async function sumUp(records: readonly string[]): Promise<string[]> {
  return [String(records.reduce((sum, one) => sum + Number(one), 0))]
}

/** The file of a process that is not there any more. */
function leftBehind(folder: string, records: readonly string[]): string {
  const before = new Set(journalsIn(folder))
  const journal = openJournal(folder)
  for (const record of records) journal.append(record)
  journal.close()
  const name = journalsIn(folder).find((one) => !before.has(one)) ?? ''
  const gone = name.replace(/^\d+-\d+/, '999999999-1').replace(/-[0-9a-f]{8}\./, '-00000000.')
  copyFileSync(join(folder, name), join(folder, gone))
  rmSync(join(folder, name))
  return gone
}

function makeFolder(): string {
  const base = mkdtempSync(join(tmpdir(), 'orla-journal-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  return join(base, 'statistics')
}
