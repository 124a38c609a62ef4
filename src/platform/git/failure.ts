import { type ErrorCode, OrlaError, oneLine } from '../../model/index.ts'
import type { ProcessEnd } from '../process/starter.ts'
import { shownUrl } from '../shown-url.ts'
import type { GitRequest } from './git.ts'
import { sshFailure } from './ssh-failure.ts'

/** What a failed git command means to a person, without any secret in it. */
export function gitFailure(end: ProcessEnd, { doing, remote }: GitRequest): OrlaError {
  const fail = (code: ErrorCode, why: string, hint?: string) =>
    new OrlaError(code, `cannot ${shownUrl(doing)}: ${why}`, hint === undefined ? {} : { hint })
  switch (end.cause) {
    case 'abort':
      return fail('E_INTERRUPTED', 'interrupted')
    case 'timeout':
      return fail('E_NETWORK', 'no answer in time', NETWORK_HINT)
    case 'limit':
      return fail('E_UNSAFE_TREE', 'there is more of it than Orla takes')
    case 'spawn':
      return fail('E_GIT', `git does not start (${end.error?.message ?? 'not found'})`)
    case 'exit': {
      const said = end.stderr.toString()
      const words =
        end.signal === null ? lastWords(said, remote?.credential?.password) : `git got ${end.signal}`
      if (DISK_FULL.test(said)) return fail('E_FILE', 'the disk is full', DISK_HINT)
      if (remote === undefined) return fail('E_GIT_DAMAGED', words, CACHE_HINT)
      const refused = sshFailure(said, remote)
      if (refused !== undefined) return fail('E_GIT', `${refused.why} (${words})`, refused.hint)
      if (remote.kind === 'file' && NO_REPOSITORY.test(said)) {
        return fail(
          'E_GIT',
          'there is no git repository',
          'check the path; it may not be committed to git yet',
        )
      }
      for (const [pattern, code, hint] of MEANINGS) if (pattern.test(said)) return fail(code, words, hint)
      return fail('E_GIT_DAMAGED', words, CACHE_HINT)
    }
  }
}

const DISK_FULL = /No space left on device|Disk quota exceeded|Out of diskspace/i
const DISK_HINT = 'free some space (`orla cache clear` helps) and repeat the command'
const CACHE_HINT = '`orla cache clear` removes the cache; the next command makes it again'
const NETWORK_HINT = 'check the connection and the address'
const ACCESS_HINT =
  'Check the address. For a private repository `git ls-remote URL` must work in your terminal, or a token be set.'
const CERTIFICATE_HINT =
  'If the host is your own, tell git who signs for it: `git config --global http.https://HOST/.sslCAInfo FILE`, or GIT_SSL_CAINFO.'

/** The first that fits. What the server said about itself comes before what happened to the connection. */
const MEANINGS: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/packfile|corrupt|bad object|object [0-9a-f]{40,64} not found/i, 'E_GIT_DAMAGED', CACHE_HINT],
  // The host is there: what is cached does not stand in for one that cannot prove who it is.
  [
    /certificate verification failed|certificate problem|no alternative certificate/i,
    'E_GIT',
    CERTIFICATE_HINT,
  ],
  [/returned error: 5\d\d|returned error: 429/, 'E_NETWORK', NETWORK_HINT],
  [
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|returned error: 4\d\d|Permission denied|access denied/i,
    'E_GIT',
    ACCESS_HINT,
  ],
  [
    /not found|does not appear to be a git repo|does not exist|find remote ref|dubious ownership|not valid: is this a git/i,
    'E_GIT',
    ACCESS_HINT,
  ],
  [/transport '\w+' not allowed|unable to find remote helper/i, 'E_GIT', ACCESS_HINT],
  [
    /resolve host|connect to|connection (?:refused|reset|timed out|closed)|timed? ?out|network is (?:unreachable|down)|no route to host|SSL|TLS|certificate|early EOF|hung up|RPC failed|curl \d+|too slow|unable to access|Could not read from remote/i,
    'E_NETWORK',
    NETWORK_HINT,
  ],
]

const NO_REPOSITORY = /does not appear to be a git repo|repository '.*' does not exist/

const LINES = 3
const LONGEST = 500

/** What git adds to everything that ssh says, and how ssh frames its warnings. */
const NOISE =
  /^(?:@.*|\s*|fatal: Could not read from remote repository\.|Please make sure you have the correct access rights|and the repository exists\.)$/

/** What git said last, on one line: the lines that carry a message rather than advice. */
function lastWords(said: string, secret: string | undefined): string {
  const all = said.split(/\r*\n/).filter((line) => line.trim() !== '')
  const speaking = all.filter((line) => !NOISE.test(line))
  const lines = speaking.length > 0 ? speaking : all
  const telling = lines.filter((line) =>
    /^(?:fatal|error|remote|ssh):|denied|failed|refused|timed out|closed by/i.test(line),
  )
  const words = (telling.length > 0 ? telling : lines)
    .slice(-LINES)
    .join('; ')
    .replaceAll('.; ', '; ')
    .replace(/^fatal: (?:unable to access '\S*': )?/, '')
  const safe = secret === undefined ? words : withoutSecret(words, secret)
  return oneLine(shownUrl(safe)).slice(0, LONGEST) || 'git gave no reason'
}

function withoutSecret(text: string, secret: string): string {
  const spellings = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
  return spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '…'), text)
}
