import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import type { Receipt } from '../model/index.ts'
import { readManifest } from './manifest.ts'
import { formatReceipt, parseReceipt } from './receipt-file.ts'
import { loadYaml } from './yaml.ts'

const { manifest } = readManifest(
  'name: fs\nversion: 1.0.0\ndescription: Files\nentrypoint: bin/fs\nmcp: {input_schema: {path: string}}\nruntime: {timeout: 1.5}\n',
  'tool.yaml',
  await loadYaml(),
)
if (manifest === undefined) throw new Error('the manifest is sound')

const RECEIPT: Receipt = {
  v: 1,
  name: 'fs',
  version: '1.0.0',
  pin: { kind: 'archive', from: './fs.tgz', sha256: 'a'.repeat(64) },
  digest: 'b'.repeat(64),
  installed_at: '2026-01-02T03:04:05.000Z',
  permissions: ['network'],
  manifest,
  manifest_sha256: 'c'.repeat(64),
}

describe('receipts', () => {
  it('read back as what was written', () => {
    expect(parseReceipt(formatReceipt(RECEIPT))).toEqual(RECEIPT)
    const { manifest_sha256: _, ...less } = RECEIPT
    expect(parseReceipt(formatReceipt(less))).toEqual(less)
    const pending: Receipt = { ...RECEIPT, hook: 'pending', digest_after_hook: 'd'.repeat(64) }
    expect(parseReceipt(formatReceipt(pending))).toEqual(pending)
  })

  it.each([
    ['of another package', { name: 'other' }],
    ['of another version', { version: '2.0.0' }],
    ['without a pin', { pin: undefined }],
    ['of another format', { v: 2 }],
    ['without a time', { installed_at: 'yesterday' }],
    ['with an odd hook', { hook: 'done' }],
    ['with half a manifest', { manifest: { name: 'fs', version: '1.0.0' } }],
    ['with an entrypoint outside', { manifest: { ...manifest, entrypoint: '/x' } }],
    ['with a hook outside', { manifest: { ...manifest, hooks: { postInstall: '../x' } } }],
    ['with a hostile name', { name: '../x', manifest: { ...manifest, name: '../x' } }],
    ['with a hostile version', { version: '..', manifest: { ...manifest, version: '..' } }],
    ['with an odd mode', { manifest: { ...manifest, runtime: { ...manifest.runtime, mode: 'x' } } }],
    [
      'with an odd environment',
      { manifest: { ...manifest, runtime: { ...manifest.runtime, env: { A: 1 } } } },
    ],
    ['with odd limits', { manifest: { ...manifest, limits: { memoryBytes: 'lots' } } }],
    ['with an odd schema', { manifest: { ...manifest, mcp: { inputSchema: 7 } } }],
  ])('are refused %s', (_what, change) => {
    expect(parseReceipt(JSON.stringify({ ...JSON.parse(formatReceipt(RECEIPT)), ...change }))).toBeUndefined()
  })

  it('never throw', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.json()), (text) => {
        expect(parseReceipt(text)).toBeUndefined()
      }),
    )
  })
})
