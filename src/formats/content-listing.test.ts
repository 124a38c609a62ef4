import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContentFile, contentDigest, contentListing } from './content-listing.ts'

const SHA = 'a'.repeat(64)
const file = (path: string, more: Partial<ContentFile> = {}): ContentFile => ({
  path,
  size: 3,
  executable: false,
  sha256: SHA,
  ...more,
})

describe('the content listing', () => {
  it('Q89: names format, package and version, then every file with hash, size and execute bit', () => {
    const files = [file('tool.yaml'), file('bin/fs', { executable: true, size: 12 })]
    expect(contentListing('fs', '0.1.0', files)).toBe(
      `orla-package-v1\nfs\n0.1.0\n${SHA} 12 x "bin/fs"\n${SHA} 3 - "tool.yaml"\n`,
    )
  })

  it('leaves out what is written after it: signature, receipt, metrics', () => {
    const kept = [file('a'), file('sub/metadata.json'), file('sub/.orla-receipt.json'), file('signature.sig')]
    const all = [...kept, file('meta/signature.sig'), file('.orla-receipt.json'), file('metadata.json')]
    expect(contentListing('n', '1.0.0', all)).toBe(contentListing('n', '1.0.0', kept))
  })

  it('sorts by bytes, whatever order the files come in', () => {
    const paths = ['z', 'Z', 'a/b', 'a.b', 'a', '\u{10000}', '\uffee', 'é']
    const listed = contentListing(
      'n',
      '1.0.0',
      paths.map((path) => file(path)),
    )
    const order = [...listed.matchAll(/"(.*)"$/gm)].map((match) => match[1])
    expect(order).toEqual(['Z', 'a', 'a.b', 'a/b', 'z', 'é', '\uffee', '\u{10000}'])
    fc.assert(
      fc.property(fc.shuffledSubarray(paths, { minLength: paths.length }), (shuffled) => {
        expect(
          contentListing(
            'n',
            '1.0.0',
            shuffled.map((path) => file(path)),
          ),
        ).toBe(listed)
      }),
    )
  })

  it('keeps every file on a line of its own, and a link apart from a file', () => {
    const listed = contentListing('n', '1.0.0', [file('a\nb "c"'), file('l', { link: 'a' })])
    expect(listed.split('\n')).toHaveLength(6)
    expect(listed).toContain(`${SHA} 3 - "a\\nb \\"c\\""`)
    expect(listed).toContain(`${SHA} 3 l "l"`)
    expect(() => contentListing('a\nb', '1.0.0', [])).toThrow('cannot stand')
  })

  it('has a digest that any difference changes', () => {
    const digest = contentDigest('n', '1.0.0', [file('a')])
    expect(digest).toBe(
      createHash('sha256')
        .update(contentListing('n', '1.0.0', [file('a')]))
        .digest('hex'),
    )
    const others = [
      contentDigest('m', '1.0.0', [file('a')]),
      contentDigest('n', '1.0.1', [file('a')]),
      contentDigest('n', '1.0.0', [file('a', { executable: true })]),
      contentDigest('n', '1.0.0', [file('a', { size: 4 })]),
      contentDigest('n', '1.0.0', [file('b')]),
      contentDigest('n', '1.0.0', []),
    ]
    expect(new Set([digest, ...others]).size).toBe(7)
  })
})
