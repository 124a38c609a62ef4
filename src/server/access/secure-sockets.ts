import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { type Log, OrlaError } from '../../model/index.ts'
import type { TlsMaterial } from './tls-material.ts'

/** Puts TLS around connections. */
export interface SecureSockets {
  wrap(socket: Socket): TLSSocket
  /** Connections from now on see these; those that are open stay as they are. */
  renew(material: TlsMaterial): void
  /** The names a certificate is good for, as Host headers write them. */
  namesIn(material: TlsMaterial): readonly string[]
}

export function createSecureSockets(material: TlsMaterial, handshakeMs: number, log: Log): SecureSockets {
  let context = contextOf(material)
  return {
    wrap(socket) {
      const secured = new TLSSocket(socket, {
        isServer: true,
        secureContext: context,
        ALPNProtocols: ['http/1.1'],
      })
      // Who never finishes the handshake has no request yet that could be too slow.
      const timer = setTimeout(() => fail('slow'), handshakeMs)
      const fail = (why: string) => {
        log.debug('tls handshake failed', { why, remote: socket.remoteAddress })
        socket.destroy()
      }
      secured.once('secure', () => clearTimeout(timer))
      secured.once('close', () => clearTimeout(timer))
      secured.on('_tlsError', (error: Error) => fail(error.message))
      secured.on('error', () => socket.destroy())
      return secured
    },
    renew(next) {
      context = contextOf(next)
    },
    namesIn: namesInCertificate,
  }
}

/** Throws when a certificate and its key cannot be used. */
export function examineTls(material: TlsMaterial): { readonly expires: Date } {
  contextOf(material)
  return { expires: new Date(new X509Certificate(material.cert).validTo) }
}

function contextOf({ cert, key }: TlsMaterial): SecureContext {
  try {
    return createSecureContext({ cert, key, minVersion: 'TLSv1.2' })
  } catch (error) {
    throw new OrlaError('E_TLS', `the certificate and its key cannot be used: ${whatIsWrong(error)}`, {
      hint: 'both are PEM files; the certificate comes first in its chain, and the key is the one it was made for',
      cause: error,
    })
  }
}

function whatIsWrong(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') return 'the key belongs to another certificate'
  if (code === 'ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED' || /passphrase|bad decrypt/i.test(message))
    return 'the key is protected by a passphrase'
  if (code === 'ERR_OSSL_PEM_NO_START_LINE') return 'one of them is not a PEM file'
  return message
}

/** Those with a `*` are nobody's name. */
function namesInCertificate({ cert }: TlsMaterial): readonly string[] {
  const names = new X509Certificate(cert).subjectAltName ?? ''
  return names.split(', ').flatMap((entry) => {
    const [, kind, name = ''] = /^(DNS|IP Address):(.+)$/.exec(entry) ?? []
    if (kind === undefined || name.includes('*') || name.includes('"')) return []
    return [kind === 'DNS' ? name : name.includes(':') ? shortIpv6(name) : name]
  })
}

/** Certificates spell every group out in capitals; URLs do not. */
function shortIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname
}
