import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { contentListing } from './content-listing.ts'
import { formatRotations, leadsTo, readRotations, rotate } from './key-rotation.ts'
import { compareListing } from './listing-difference.ts'
import { checkSignature, formatSignature } from './package-signature.ts'
import { generateKeyPair } from './ssh/private-key.ts'
import { signSsh } from './ssh/signature.ts'
import { checkTagSignature } from './tag-signature.ts'

const ada = generateKeyPair('ada')
const eve = generateKeyPair('eve')
const never = () => false
const file = (path: string, content = path) => ({
  path,
  size: content.length,
  executable: false,
  sha256: createHash('sha256').update(content).digest('hex'),
})

describe('the signature of a package', () => {
  const listing = contentListing('fs', '1.0.0', [file('a'), file('b')])
  const digest = createHash('sha256').update(listing).digest('hex')

  it('Q103: tells who signed exactly these files', () => {
    const text = formatSignature(listing, ada)
    expect(checkSignature(text, digest)).toEqual({ outcome: 'signed', key: ada.publicKey })
    expect(checkSignature(text, '0'.repeat(64))).toMatchObject({ outcome: 'content-mismatch' })
    const forged = text.replace(ada.publicKey, eve.publicKey)
    expect(checkSignature(forged, digest)).toMatchObject({ outcome: 'bad-signature' })
    expect(checkSignature('{}', digest)).toMatchObject({ outcome: 'malformed' })
  })

  it('Q103: a signature for git is none for a package', () => {
    const parts = { v: 1, listing, key: ada.publicKey, sig: signSsh(listing, 'git', ada) }
    expect(checkSignature(JSON.stringify(parts, null, 2), digest)).toMatchObject({
      outcome: 'malformed',
      why: expect.stringContaining('made for "git"'),
    })
  })

  it('Q89: what differs is named, whatever the names are', () => {
    const now = contentListing('fs', '1.0.0', [file('a', 'other'), file('c "quoted"\n')])
    expect(compareListing(listing, now)).toEqual({ changed: ['a'], added: ['c "quoted"\n'], missing: ['b'] })
  })
})

describe('a rotation', () => {
  const bob = generateKeyPair('bob')

  it('Q103: leads from key to key, as far as each one vouched', () => {
    const chain = readRotations(formatRotations([rotate(ada, bob.publicKey), rotate(bob, eve.publicKey)]))
    expect(leadsTo(chain, [ada.publicKey], eve.publicKey, never)).toBe(true)
    expect(leadsTo(chain, [eve.publicKey], ada.publicKey, never)).toBe(false)
    expect(leadsTo(chain, [], eve.publicKey, never)).toBe(false)
    const isBob = (key: string) => key === bob.publicKey
    expect(leadsTo(chain, [ada.publicKey], eve.publicKey, isBob)).toBe(false)
  })

  it('Q103: what the old key did not sign counts for nothing', () => {
    const forged = { ...rotate(eve, eve.publicKey), from: ada.publicKey }
    const moved = { ...rotate(ada, bob.publicKey), to: eve.publicKey }
    expect(readRotations(formatRotations([forged, moved]))).toEqual([])
    for (const text of ['', 'x', '[]', '{"v":1,"rotations":[null,7]}'])
      expect(readRotations(text)).toEqual([])
  })
})

describe('the signature of a tag', () => {
  const commit = 'a'.repeat(40)
  const head = (tag: string, object = commit, type = 'commit') =>
    `object ${object}\ntype ${type}\ntag ${tag}\ntagger A <a@b> 0 +0000\n\nmessage\n`
  const signed = (text: string) => Buffer.from(text + signSsh(text, 'git', ada))

  it('Q89: counts for that name at that commit only', () => {
    expect(checkTagSignature(signed(head('v1.0.0')), 'v1.0.0', commit)).toEqual({
      kind: 'good',
      key: ada.publicKey,
    })
    expect(checkTagSignature(signed(head('v1.0.0')), 'v2.0.0', commit).kind).toBe('malformed')
    expect(checkTagSignature(signed(head('v1.0.0')), 'v1.0.0', 'b'.repeat(40)).kind).toBe('malformed')
    expect(checkTagSignature(signed(head('v1.0.0', commit, 'tag')), 'v1.0.0', commit).kind).toBe('malformed')
    const changed = Buffer.from(signed(head('v1.0.0')).toString().replace('message', 'massage'))
    expect(checkTagSignature(changed, 'v1.0.0', commit).kind).toBe('bad')
  })

  it('Q89: no signature, and one of another kind, is unsigned', () => {
    expect(checkTagSignature(Buffer.from(head('v1.0.0')), 'v1.0.0', commit).kind).toBe('unsigned')
    const pgp = `${head('v1.0.0')}-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n`
    expect(checkTagSignature(Buffer.from(pgp), 'v1.0.0', commit)).toMatchObject({
      kind: 'unsigned',
      why: expect.stringContaining('PGP'),
    })
  })
})
