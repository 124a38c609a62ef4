import { nearest, type Permission } from '../model/index.ts'
import { parsePermissionPath } from './permission-path.ts'
import type { Flaw } from './shape.ts'

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
const PROGRAM = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$/
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const HTTPS = 443

interface Wrong {
  readonly problem: Flaw
}

/** What a permission word allows. undefined for a word that begins with `x-`: it says nothing to Orla. */
export function parsePermission(word: string): Permission | Wrong | undefined {
  if (word.startsWith('x-')) return undefined
  const colon = word.indexOf(':')
  const kind = colon < 0 ? word : word.slice(0, colon)
  const rest = colon < 0 ? undefined : word.slice(colon + 1)
  switch (kind) {
    case 'filesystem':
      return parseFilesystem(rest)
    case 'network':
      return parseNetwork(rest)
    case 'env':
    case 'secret':
      return parseName(kind, rest, VARIABLE, 'a variable', 'API_KEY')
    case 'exec':
      return parseName(kind, rest, PROGRAM, 'a program', 'git')
    case 'socket': {
      if (rest === undefined) return wrong('socket needs a path', 'for example socket:/run/service.sock')
      const path = parsePermissionPath(rest)
      return 'problem' in path ? path : { kind, path }
    }
    default:
      return unknownWord(word, kind)
  }
}

const KINDS = ['filesystem', 'network', 'env', 'secret', 'exec', 'socket']
const WORDS =
  'the words are filesystem:read[:PATH], filesystem:write[:PATH], network[:HOST[:PORT]], env:NAME, secret:NAME, exec:NAME, socket:PATH'

function unknownWord(word: string, kind: string): Wrong {
  const close = nearest(kind, KINDS)
  const meant = close === undefined ? undefined : close + word.slice(kind.length)
  return wrong(
    `is no permission: ${JSON.stringify(word.slice(0, 60))}`,
    meant === undefined ? WORDS : `did you mean ${meant}?`,
  )
}

function parseFilesystem(rest: string | undefined): Permission | Wrong {
  const [access, ...path] = rest?.split(':') ?? []
  if (access !== 'read' && access !== 'write') {
    return wrong('filesystem is read or write', 'write filesystem:read or filesystem:write, then :PATH')
  }
  if (path.length === 0) return { kind: 'filesystem', access, path: null }
  const parsed = parsePermissionPath(path.join(':'))
  return 'problem' in parsed ? parsed : { kind: 'filesystem', access, path: parsed }
}

function parseName(
  kind: 'env' | 'secret' | 'exec',
  name: string | undefined,
  grammar: RegExp,
  what: string,
  example: string,
): Permission | Wrong {
  if (name !== undefined && grammar.test(name)) return { kind, name }
  return wrong(`${kind} needs the name of ${what}`, `for example ${kind}:${example}`)
}

/** `network`, `network:example.com`, `network:*.example.com:8443`, `network:[::1]:8080`. */
function parseNetwork(rest: string | undefined): Permission | Wrong {
  if (rest === undefined) return { kind: 'network', host: null, port: null }
  const url = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)/i.exec(rest)
  if (url) return wrong('network takes a host, not a URL', `write network:${url[1]}`)
  const match = /^(\[[0-9a-f:.]{2,45}\]|[^:[\]]+)(?::([^:]*))?$/i.exec(rest)
  const host = match?.[1]?.toLowerCase()
  if (host === undefined || !isHost(host)) {
    const isGlob = rest.includes('*')
    return wrong(
      `network needs a host, not ${JSON.stringify(rest.slice(0, 60))}`,
      isGlob
        ? '*.example.com is the only pattern; bare network is every host'
        : 'for example network:example.com',
    )
  }
  if (NEVER_REACHED.test(host)) {
    return wrong(
      `network cannot be ${host}: addresses of the link, and those where clouds hand out keys, are never reached`,
    )
  }
  if (match?.[2] === undefined) return { kind: 'network', host, port: HTTPS }
  const port = /^\d{1,5}$/.test(match[2]) ? Number(match[2]) : 0
  if (port < 1 || port > 65_535) return wrong('network needs a port from 1 to 65535 behind the host')
  return { kind: 'network', host, port }
}

const NEVER_REACHED =
  /^(?:169\.254\.|100\.100\.100\.200$|\[fe[89ab][0-9a-f]:|\[fd00:ec2::254\]|\[::ffff:(?:169\.254\.|a9fe:))/

function isHost(host: string): boolean {
  if (host.startsWith('[')) return true
  const isPattern = host.startsWith('*.')
  const labels = (isPattern ? host.slice(2) : host).split('.')
  // `*.com` would be half of the network.
  return host.length <= 253 && labels.every((label) => LABEL.test(label)) && (!isPattern || labels.length > 1)
}

function wrong(message: string, hint?: string): Wrong {
  return { problem: hint === undefined ? { message } : { message, hint } }
}
