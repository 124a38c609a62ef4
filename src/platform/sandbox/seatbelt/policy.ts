import { dirname } from 'node:path'
import type { SandboxProfile } from '../../../model/index.ts'
import type { SeenPath } from '../look.ts'
import { isWithin } from '../within.ts'
import { quoted } from './quote.ts'
import {
  FIRST_RULES,
  factRules,
  LAST_RULES,
  PASS,
  READ,
  rule,
  STARTED_FROM_MAC,
  systemFileRules,
  WRITE,
} from './system-rules.ts'

/**
 * The policy of macOS for a program of this profile. Of the rules that fit, the last one counts: so what lies deeper
 * comes later, and what nobody is ever granted comes at the end. Pure; `seen` are the paths of the profile as they lie
 * on the disk, outer before inner. Throws a `SandboxRefusal` for paths that cannot be named.
 */
export function seatbeltPolicy(
  { network, sockets }: Pick<SandboxProfile, 'network' | 'sockets'>,
  seen: readonly SeenPath[],
): string {
  // Single hosts cannot be told apart here. Who may reach some was told so, and accepted it.
  const hasNetwork = network.kind !== 'none'
  const shown = seen.filter(({ access }) => access !== 'hidden')
  const ways = new Set(
    [...shown.flatMap(({ path, alias }) => [path, ...(alias === undefined ? [] : [alias])]), ...sockets]
      .flatMap((path) => [path, real(path)])
      .flatMap(foldersAbove),
  )
  return [
    ...FIRST_RULES,
    ...factRules(hasNetwork),
    ...systemFileRules(hasNetwork),
    ...seen.flatMap(rulesFor),
    // Programs ask on their way for every folder they pass, and for the links by which they were told of it.
    ...(ways.size === 0 ? [] : [rule('allow', PASS, [...ways].sort().map(literal))]),
    ...LAST_RULES,
    ...networkRules(hasNetwork, sockets.map(real)),
    '',
  ].join('\n')
}

function rulesFor({ path, access, kind }: SeenPath): readonly string[] {
  const everything = `(subpath ${quoted(real(path))})`
  if (access === 'hidden') return [rule('deny', `${READ} ${WRITE}`, [everything])]
  const here = kind === 'file' ? literal(path) : everything
  if (access === 'read') return [rule('allow', READ, [here]), rule('deny', WRITE, [everything])]
  return [
    rule('allow', `${READ} ${WRITE}`, [here]),
    // Moved away, its protected parts would lie where no rule names them.
    rule('deny', 'file-write-unlink', [literal(path)]),
    ...(path === '/'
      ? [
          rule(
            'deny',
            WRITE,
            STARTED_FROM_MAC.map((folder) => `(subpath ${quoted(folder)})`),
          ),
        ]
      : []),
  ]
}

/** The system's resolver is a socket. No other socket of the host is reached by who may use the network. */
const RESOLVER = '/private/var/run/mDNSResponder'

function networkRules(hasNetwork: boolean, sockets: readonly string[]): readonly string[] {
  const dialled = hasNetwork ? [RESOLVER, ...sockets] : sockets
  return [
    ...(hasNetwork
      ? [
          '(allow system-socket (socket-domain AF_INET) (socket-domain AF_INET6))',
          '(allow network-outbound (remote ip "*:*"))',
          '(allow network-bind network-inbound (local ip "*:*"))',
        ]
      : []),
    ...(dialled.length === 0
      ? []
      : [
          '(allow system-socket (socket-domain AF_UNIX))',
          rule(
            'allow',
            'network-outbound',
            dialled.map((path) => `(remote unix-socket (path-literal ${quoted(path)}))`),
          ),
          rule('allow', PASS, dialled.map(literal)),
        ]),
  ]
}

/** Folders at the root that are links on every Mac; rules are about where things are. */
const LINKED = ['/etc', '/tmp', '/var']

function real(path: string): string {
  return LINKED.some((link) => isWithin(path, link)) ? `/private${path}` : path
}

function literal(path: string): string {
  return `(literal ${quoted(real(path))})`
}

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = []
  for (let folder = dirname(path); folder !== '/' && folder !== '.'; folder = dirname(folder))
    folders.push(folder)
  return folders
}
