import { describe, expect, it } from 'vitest'
import { gitFailure } from './failure.ts'

const ADVICE =
  'fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n'

function failureOf(said: string, url = 'ssh://git@git.example.com/x') {
  const stderr = Buffer.from(said)
  const end = { cause: 'exit', exitCode: 128, signal: null, stdout: Buffer.alloc(0), stderr, ms: 1 } as const
  const kind = url.startsWith('https:') ? 'https' : 'ssh'
  return gitFailure(end, { doing: 'read it', remote: { url, kind } })
}

it('lines that ssh ends as a terminal would are read like others', () => {
  const { code, message } = failureOf(
    'ssh: connect to host git.example.com port 22: Connection refused\r\nfatal: gone\r\n',
  )
  expect(code).toBe('E_NETWORK')
  expect(message).not.toMatch(/\r|\\x0d/)
})

describe('what ssh refuses by itself', () => {
  it.each([
    [
      'sh: 1: ssh: not found\n',
      'there is no ssh on PATH (sh: 1: ssh: not found)',
      /apt install openssh-client/,
    ],
    [
      'Host key verification failed.\n',
      'ssh does not know the key of the host (Host key verification failed.)',
      /Connect once with `ssh git@git.example.com`/,
    ],
    [
      '@@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@@\nHost key for git.example.com has changed and you have requested strict checking.\nHost key verification failed.\n',
      'the key of the host is not the one that ssh knows (Host key verification failed.)',
      /`ssh-keygen -R 'git.example.com'`/,
    ],
    [
      'git@git.example.com: Permission denied (publickey).\n',
      'the host takes none of your ssh keys (git@git.example.com: Permission denied (publickey).)',
      /`ssh git@git.example.com` must not ask/,
    ],
  ])('Q94: is said in words with a way out: %j', (said, words, hint) => {
    const error = failureOf(said + ADVICE)
    expect([error.code, error.message, error.hint]).toEqual([
      'E_GIT',
      `cannot read it: ${words}`,
      expect.stringMatching(hint),
    ])
  })

  it.each([
    ['team:x', 'ssh team'],
    ['git@team:x', 'ssh git@team'],
    ['git@[::1]:x', 'ssh git@::1'],
    ['ssh://git@host:2222/x', 'ssh -p 2222 git@host'],
    ['https://host/x', 'ssh HOST'],
  ])('names what a person types: %s', (url, line) => {
    expect(failureOf(`Host key verification failed.\n${ADVICE}`, url).hint).toContain(`\`${line}\``)
  })
})

it('what ssh said of a connection is told, not that git could not read', () => {
  const { code, message } = failureOf(
    `Connection timed out during banner exchange\nConnection to 127.0.0.1 port 22 timed out\n${ADVICE}`,
  )
  expect([code, message]).toEqual([
    'E_NETWORK',
    'cannot read it: Connection timed out during banner exchange; Connection to 127.0.0.1 port 22 timed out',
  ])
})

it.each([
  'server certificate verification failed. CAfile: none CRLfile: none',
  'SSL certificate problem: self-signed certificate in certificate chain',
  "SSL: no alternative certificate subject name matches target host name 'git.example.com'",
])('Q89: a host that cannot prove who it is counts as there: %s', (said) => {
  const { code, hint } = failureOf(`fatal: unable to access 'https://git.example.com/x/': ${said}\n`)
  expect([code, hint]).toEqual(['E_GIT', expect.stringContaining('sslCAInfo')])
})

it.each([
  [
    "fatal: sha1 file '/x/tmp_idx' write error. Out of diskspace\nfatal: fetch-pack: invalid index-pack output\n",
  ],
  ['error: unable to write symref for HEAD: No space left on device\n'],
])('a full disk is no damaged copy: %s', (said) => {
  const { code, message } = failureOf(said)
  expect([code, message]).toEqual(['E_FILE', 'cannot read it: the disk is full'])
})
