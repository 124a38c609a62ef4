import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { generateKeyPair, readPrivateKey, writePrivateKey } from './private-key.ts'
import { keyFingerprint, readPublicKey } from './public-key.ts'
import { signSsh, verifySsh } from './signature.ts'
import { readArmour, writeArmour } from './wire.ts'

const hasSshKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined
const withSshKeygen = hasSshKeygen ? it : it.skip
if (!hasSshKeygen) console.warn('ssh-keygen is not installed (Debian: openssh-client): its tests are skipped')

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'orla-sshsig-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

describe('SSH signatures', () => {
  const pair = generateKeyPair('test')

  it('Q103: what is signed is good, and for nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (message, other) => {
        const signature = signSsh(message, 'orla-package', pair)
        expect(verifySsh(signature, message, 'orla-package')).toEqual({ kind: 'good', key: pair.publicKey })
        expect(verifySsh(signature, message, 'git').kind).toBe('malformed')
        if (Buffer.compare(message, other) !== 0)
          expect(verifySsh(signature, other, 'orla-package')).toEqual({ kind: 'bad', key: pair.publicKey })
      }),
    )
  })

  it('Q103: no bit of a signature can be changed', () => {
    const signature = signSsh('the message', 'orla-package', pair)
    const blob = readArmour(signature, 'SSH SIGNATURE') ?? Buffer.alloc(0)
    expect(blob.length).toBeGreaterThan(100)
    for (let bit = 0; bit < blob.length * 8; bit++) {
      const changed = Buffer.from(blob)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const verdict = verifySsh(writeArmour(changed, 'SSH SIGNATURE'), 'the message', 'orla-package')
      expect(verdict.kind, `bit ${bit}`).not.toBe('good')
    }
    for (const more of [Buffer.alloc(1), Buffer.from('x')]) {
      const longer = writeArmour(Buffer.concat([blob, more]), 'SSH SIGNATURE')
      expect(verifySsh(longer, 'the message', 'orla-package').kind).toBe('malformed')
    }
    for (let length = 0; length < blob.length; length++) {
      const shorter = writeArmour(blob.subarray(0, length), 'SSH SIGNATURE')
      expect(verifySsh(shorter, 'the message', 'orla-package').kind).toBe('malformed')
    }
  })

  it('anything else is malformed and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.uint8Array({ maxLength: 200 })), (noise) => {
        const text = typeof noise === 'string' ? noise : writeArmour(Buffer.from(noise), 'SSH SIGNATURE')
        expect(verifySsh(text, 'x', 'orla-package').kind).toBe('malformed')
      }),
    )
  })

  it('a private key is written as it is read', () => {
    const { publicKey, comment } = readPrivateKey(writePrivateKey(pair), 'file')
    expect({ publicKey, comment }).toEqual({ publicKey: pair.publicKey, comment: 'test' })
  })

  it('no damaged private key is taken for one, and no message shows what is in it', () => {
    const text = writePrivateKey(pair)
    const blob = readArmour(text, 'OPENSSH PRIVATE KEY') ?? Buffer.alloc(0)
    fc.assert(
      fc.property(fc.nat(blob.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(blob)
        changed[at] = (changed[at] ?? 0) ^ flip
        try {
          // The comment says nothing about the key.
          expect(readPrivateKey(writeArmour(changed, 'OPENSSH PRIVATE KEY'), 'file').publicKey).toBe(
            pair.publicKey,
          )
        } catch (error) {
          expect((error as Error).message).toMatch(/^file cannot be used: it (is|holds) [a-z0-9 -]+$/i)
        }
      }),
    )
  })

  withSshKeygen('Q89: ssh-keygen verifies what Orla signs, and reads its keys', () => {
    const dir = folder()
    writeFileSync(join(dir, 'key'), writePrivateKey(pair), { mode: 0o600 })
    const told = execFileSync('ssh-keygen', ['-y', '-f', join(dir, 'key')], { encoding: 'utf8' })
    expect(readPublicKey(told)).toBe(pair.publicKey)
    writeFileSync(join(dir, 'key.pub'), `${pair.publicKey} test\n`)
    expect(execFileSync('ssh-keygen', ['-l', '-f', join(dir, 'key.pub')], { encoding: 'utf8' })).toContain(
      keyFingerprint(pair.publicKey),
    )
    writeFileSync(join(dir, 'signers'), `someone ${pair.publicKey}\n`)
    writeFileSync(join(dir, 'sig'), signSsh('the message', 'orla-package', pair))
    const verify = (message: string) =>
      spawnSync(
        'ssh-keygen',
        [
          '-Y',
          'verify',
          '-f',
          join(dir, 'signers'),
          '-I',
          'someone',
          '-n',
          'orla-package',
          '-s',
          join(dir, 'sig'),
        ],
        { input: message },
      ).status
    expect(verify('the message')).toBe(0)
    expect(verify('the massage')).not.toBe(0)
  })

  withSshKeygen('Q89: Orla verifies what ssh-keygen signs, and reads its keys', () => {
    const dir = folder()
    const key = join(dir, 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'Ada Lovelace', '-f', key])
    const read = readPrivateKey(readFileSync(key, 'utf8'), key)
    expect(read.comment).toBe('Ada Lovelace')
    expect(read.publicKey).toBe(readPublicKey(readFileSync(`${key}.pub`, 'utf8')))
    for (const hash of ['sha256', 'sha512']) {
      const signature = execFileSync(
        'ssh-keygen',
        ['-Y', 'sign', '-q', '-f', key, '-n', 'orla-package', '-O', `hashalg=${hash}`],
        { input: 'the message', encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] },
      )
      expect(verifySsh(signature, 'the message', 'orla-package')).toEqual({
        kind: 'good',
        key: read.publicKey,
      })
      expect(verifySsh(signature, 'the massage', 'orla-package').kind).toBe('bad')
    }
  })

  withSshKeygen('a key with a passphrase, and one of another kind, is refused by its reason', () => {
    const dir = folder()
    const make = (name: string, ...args: string[]) => {
      execFileSync('ssh-keygen', ['-q', '-f', join(dir, name), ...args])
      chmodSync(join(dir, name), 0o600)
      return readFileSync(join(dir, name), 'utf8')
    }
    expect(() => readPrivateKey(make('a', '-t', 'ed25519', '-N', 'secret'), 'a')).toThrow(/passphrase/)
    expect(() => readPrivateKey(make('b', '-t', 'ecdsa', '-N', ''), 'b')).toThrow(/not an ed25519 key/)
    expect(() => readPrivateKey('hello', 'c')).toThrow(/not an OpenSSH private key/)
  })
})
