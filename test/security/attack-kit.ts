import type { ProcessRequest } from '../../src/platform/process/starter.ts'
import type { SandboxPlace } from '../../src/platform/sandbox/resolve-profile.ts'

/** Prints ESCAPED when it reached what it wanted, and in any case that it was tried. */
export type Attack = readonly [name: string, attack: () => ProcessRequest]

export interface Target {
  readonly place: SandboxPlace
  /** What Orla keeps for itself, with a file `kept` in it. */
  readonly own: string
  /** Somebody listens there, and at `host.sock` in the project. */
  readonly port: number
  /** A process of the same user. */
  readonly victim: number
}

/** Starts a program as a tool of that package would start, with nothing but a PATH. */
export const requestIn =
  (place: SandboxPlace) =>
  (file: string, args: readonly string[]): ProcessRequest => ({
    file,
    args,
    cwd: place.package,
    env: { PATH: '/usr/bin:/bin', HOME: place.home },
    stdin: '',
    timeoutMs: 20_000,
    graceMs: 100,
    outputBytes: 1_000_000,
    signal: new AbortController().signal,
  })

export const triedWords = (text: string) => `${text} && echo ESCAPED; echo tried`

/** Those that are the same on every system. They take a shell and Perl. */
export function attacksOn(
  { place, own, port, victim }: Target,
  request: (file: string, args: readonly string[]) => ProcessRequest,
): readonly Attack[] {
  const tried = (text: string) => request('/bin/sh', ['-c', triedWords(text)])
  const perl = (text: string) => request('/usr/bin/perl', ['-e', text])
  return [
    ['reads a key in ~/.ssh', () => tried(`cat ${place.home}/.ssh/id`)],
    ['lists ~/.ssh', () => tried(`ls ${place.home}/.ssh | grep id`)],
    [
      'reads through a link in its own folder',
      () =>
        tried(`ln -sf ${place.home}/.ssh/id ${place.workspace}/data/link; cat ${place.workspace}/data/link`),
    ],
    ['writes into the home folder', () => tried(`echo x > ${place.home}/planted`)],
    ['changes its own package', () => tried(`echo x > ${place.package}/planted`)],
    ['reads what Orla keeps', () => tried(`ls ${own} | grep kept`)],
    [
      'connects over TCP',
      () =>
        perl(
          `use IO::Socket::INET; print IO::Socket::INET->new("127.0.0.1:${port}") ? "ESCAPED" : "failed $! $@"`,
        ),
    ],
    [
      'connects to a socket of the host that it can see',
      () =>
        perl(
          `use IO::Socket::UNIX; print IO::Socket::UNIX->new("${place.workspace}/host.sock") ? "ESCAPED" : "failed $!"`,
        ),
    ],
    ['signals another process', () => tried(`kill -0 ${victim}`)],
  ]
}
