import { oneLine } from '../model/index.ts'
import type { HttpAnswer } from './http-client.ts'
import { Refused } from './http-refusal.ts'

/** Failures of connecting, which come before anything is sent. */
const UNREACHABLE =
  /^(?:ENOTFOUND|EAI_|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL|ERR_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/
const CUT_OFF: readonly string[] = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']

/** Why there is no answer. Once a server was heard, whatever follows on its redirects is its failure. */
export function meaningOf(error: unknown, url: string, isHeard: boolean): HttpAnswer {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof Refused) return { kind: isHeard ? 'broken' : 'refused', message }
  const { host, hostname } = new URL(url)
  // Several addresses that all fail make an error without words.
  const words = oneLine(message === '' ? code : message)
  if (isHeard || !UNREACHABLE.test(code))
    return { kind: 'broken', message: CUT_OFF.includes(code) ? `${host} broke the connection off` : words }
  if (/^(?:ENOTFOUND|EAI_)/.test(code))
    return { kind: 'unreachable', message: `the name ${hostname} is not known` }
  if (code === 'ECONNREFUSED') return { kind: 'unreachable', message: `nothing listens at ${host}` }
  return { kind: 'unreachable', message: `${host} cannot be reached: ${words}` }
}
