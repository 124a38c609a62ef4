import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { definitionHash, formatLock } from '../../formats/index.ts'
import type { Manifest, Pin, Receipt } from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import { openOfferedTools } from '../offered-tools.ts'
import { listingOf } from './file-watch.ts'
import { openIntegrity } from './integrity.ts'
import { openRecords } from './records.ts'

const PIN: Pin = { kind: 'archive', from: './x.tgz', sha256: 'a'.repeat(64) }
const DIGEST = 'b'.repeat(64)

it('Q89: holds all packages of a scan to the lock as it was when the scan began, and the next scan to what it says then', async () => {
  const root = mkdtempSync(join(tmpdir(), 'orla-integrity-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const home = join(root, 'home')
  const found = ['one', 'two'].map((name) => install(root, home, name))
  const lock = (digest: string) =>
    writeFileSync(
      join(root, 'orla.lock'),
      formatLock({
        v: 1,
        packages: found.map(({ receipt, manifest }) => ({
          name: receipt.name,
          version: '1.0.0',
          pin: PIN,
          digest,
          permissions: [],
          definition: definitionHash(manifest),
        })),
      }),
    )
  const integrity = openIntegrity(home, { justInstalled: new Set(found.map(({ folder }) => folder)) })
  const project = { file: join(root, 'orla.yaml'), root } as LoadedConfig // nothing else is asked for
  const guard = integrity.guard(project, openOfferedTools(home))
  const scan = async (between = () => {}) => {
    const held = guard.forScan()
    const said: (string | undefined)[] = []
    for (const one of found) {
      said.push((await held.refusal(one))?.message)
      between()
    }
    return said
  }
  lock(DIGEST)
  expect(await scan(() => lock('c'.repeat(64)))).toEqual([undefined, undefined])
  const other = 'is not served: it is not what orla.lock says'
  expect(await scan(() => rmSync(join(root, 'orla.lock'), { force: true }))).toEqual([other, other])
  expect(await scan()).toEqual([undefined, undefined])
})

it('says when there was no time to look at all files of a scan', async () => {
  const root = mkdtempSync(join(tmpdir(), 'orla-integrity-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const home = join(root, 'home')
  const one = install(root, home, 'one')
  const project = { file: join(root, 'orla.yaml'), root } as LoadedConfig // nothing else is asked for
  const scan = async (scanMs: number) => {
    let skipped = 0
    const patience = { scanMs, onSkipped: () => void skipped++ }
    const guard = openIntegrity(home, { patience }).guard(project, openOfferedTools(home))
    const problem = await guard.forScan().refusal(one)
    return [problem !== undefined, skipped]
  }
  // Its receipt has another digest than its files, which shows when someone looks.
  expect(await scan(60_000)).toEqual([true, 0])
  expect(await scan(0)).toEqual([false, 1])
})

function install(root: string, home: string, name: string) {
  const folder = join(root, 'tools', name, '1.0.0')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tool.yaml'), `name: ${name}\n`)
  const manifest = { name, version: '1.0.0', runtime: { mode: 'simple' } } as Manifest // what is asked for here
  const receipt: Receipt = {
    v: 1,
    name,
    version: '1.0.0',
    pin: PIN,
    digest: DIGEST,
    installed_at: '2026-01-01T00:00:00Z',
    permissions: [],
    manifest,
  }
  openRecords(home).prepare(folder)(receipt, listingOf(folder, receipt))
  return { folder, scope: 'project' as const, receipt, manifest }
}
