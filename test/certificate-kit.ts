import { createSign, generateKeyPairSync } from 'node:crypto'

export interface TestCertificate {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

/** A certificate that signed itself, for these names, made without any other program. */
export function makeCertificate(
  names: readonly string[] = ['localhost'],
  { days = 30, serial = 1 }: { days?: number; serial?: number } = {},
): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(OID_ECDSA_SHA256)
  const name = sequence(set(sequence(OID_COMMON_NAME, tagged(0x0c, Buffer.from(`orla test ${serial}`)))))
  const now = Date.now()
  const validity = sequence(time(now - 86_400_000 * 400), time(now + 86_400_000 * days))
  const alternatives = sequence(...names.map(alternative))
  const extensions = sequence(
    sequence(OID_SUBJECT_ALT_NAME, tagged(0x04, alternatives)),
    sequence(
      OID_BASIC_CONSTRAINTS,
      tagged(0x01, Buffer.from([0xff])),
      tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))),
    ),
  )
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([serial])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  )
  const signature = createSign('sha256').update(body).sign(privateKey)
  const whole = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const OID_ECDSA_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex')
const OID_COMMON_NAME = Buffer.from('0603550403', 'hex')
const OID_SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex')
const OID_BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex')

function alternative(name: string): Buffer {
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(name)
  return isAddress ? tagged(0x87, Buffer.from(name.split('.').map(Number))) : tagged(0x82, Buffer.from(name))
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  return tagged(0x18, Buffer.from(`${digits}Z`))
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

function set(part: Uint8Array): Buffer {
  return tagged(0x31, part)
}

function tagged(tag: number, content: Uint8Array): Buffer {
  const { length } = content
  const head =
    length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}
