import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../../test/stories/project.ts'
import { contentDigest } from '../../formats/index.ts'
import type { Manifest, Receipt } from '../../model/index.ts'
import { listTree } from '../../platform/index.ts'
import { watchFiles } from './file-watch.ts'
import { openRecords } from './records.ts'

/** A package of many files, as it was installed, and someone who looks at it before each call. */
async function watched(files: Readonly<Record<string, string>>, manifest: object) {
  const base = mkdtempSync(join(tmpdir(), 'orla-watch-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const folder = join(base, 'package')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    utimesSync(join(folder, path), 0, 0)
  }
  const receipt: Receipt = {
    v: 1,
    name: 'x',
    version: '1.0.0',
    pin: { kind: 'directory', path: folder },
    digest: contentDigest('x', '1.0.0', listTree(folder)),
    installed_at: '2026-01-01T00:00:00Z',
    permissions: [],
    manifest: manifest as Manifest, // only what it names is asked for
  }
  const records = openRecords(join(base, 'home'))
  const watch = watchFiles(folder, receipt, records)
  // Files that changed this lately are read at each look; what is tested is the state afterwards.
  await eventually(
    () => watch.look() === undefined && records.stampOf(folder, receipt.digest) !== undefined,
    'a stamp',
  )
  expect(watch.look()).toBeUndefined()
  return { folder, watch }
}

const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`data/${index}`, 'x']))
const folders = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`d${index}/file`, 'x']))

describe('a look before a call of a package with many files', () => {
  it.each(['bin/run.sh', 'lib/other.py'])(
    'Q89: sees at once that %s changed, which its manifest names',
    async (path) => {
      const manifest = { entrypoint: './bin/run.sh', implementations: [{ id: 'p', entry: 'lib/other.py' }] }
      const { folder, watch } = await watched(
        { ...many, ...folders, 'bin/run.sh': 'a', 'lib/other.py': 'b', 'tool.yaml': '' },
        manifest,
      )
      expect(watch.glance()).toBeUndefined()
      appendFileSync(join(folder, path), 'evil')
      expect(watch.glance()).toBe('its files changed')
    },
  )

  it('Q89: sees within a second that any other changed', async () => {
    const { folder, watch } = await watched({ ...many, 'bin/run.sh': 'a' }, { entrypoint: 'bin/run.sh' })
    appendFileSync(join(folder, 'data/39'), 'evil')
    const begun = performance.now()
    await eventually(() => watch.glance() !== undefined, 'a difference')
    expect(performance.now() - begun).toBeLessThan(5_000)
  })
})
