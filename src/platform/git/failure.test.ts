import { expect, it } from 'vitest'
import { gitFailure } from './failure.ts'

it('lines that ssh ends as a terminal would are read like others', () => {
  const stderr = Buffer.from(
    'ssh: connect to host git.example.com port 22: Connection refused\r\nfatal: gone\r\n',
  )
  const end = { cause: 'exit', exitCode: 128, signal: null, stdout: Buffer.alloc(0), stderr, ms: 1 } as const
  const remote = { url: 'ssh://git.example.com/x', kind: 'ssh' } as const
  const { code, message } = gitFailure(end, { doing: 'read it', remote })
  expect(code).toBe('E_NETWORK')
  expect(message).not.toMatch(/\r|\\x0d/)
})
