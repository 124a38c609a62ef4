import { describe, expect, it } from 'vitest'
import { AUDIENCE, makeKey, startIssuer } from '../../../test/issuer-kit.ts'
import { createHttpClient } from '../../platform/index.ts'
import { fakeCatalog, fakeDeps, printed } from '../test-kit.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { createTokenVerifier } from './token-verifier.ts'

const MINUTE = 60_000

async function start(path?: string) {
  const issuer = await startIssuer(path)
  let now = Date.now()
  const { log } = fakeDeps(fakeCatalog(), async () => printed(''))
  const keys = createIssuerKeys({ issuer: issuer.url, http: createHttpClient(), log, now: () => now })
  const verifier = createTokenVerifier({ issuer: issuer.url, audience: AUDIENCE }, keys, () => now)
  return {
    issuer,
    pass: (ms: number) => {
      now += ms
    },
    verdict: async (token: string) => (await verifier.verify(token)).kind,
  }
}

describe('the keys of an issuer', () => {
  it('that are new are found by the token that names them, though not at once again', async () => {
    const { issuer, pass, verdict } = await start()
    expect(await verdict(issuer.token())).toBe('valid')
    const next = makeKey('EdDSA')
    issuer.keys = [...issuer.keys, next]
    expect(await verdict(issuer.token({ sub: 'b' }, { key: next }))).toBe('invalid')
    pass(11_000)
    expect(await verdict(issuer.token({ sub: 'b' }, { key: next }))).toBe('valid')
    expect(issuer.asked.get('/keys')).toBe(2)
  })

  it('that are taken back are not believed for long', async () => {
    const { issuer, pass, verdict } = await start()
    const stolen = issuer.keys[0] ?? makeKey()
    const token = issuer.token({ exp: Date.now() / 1_000 + 7_200 }, { key: stolen })
    expect(await verdict(token)).toBe('valid')
    issuer.keys = [makeKey()]
    pass(11 * MINUTE)
    expect(await verdict(token)).toBe('invalid')
  })

  it('stay in use while the issuer is away', async () => {
    const { issuer, pass, verdict } = await start()
    const long = { exp: Date.now() / 1_000 + 7_200 }
    expect(await verdict(issuer.token(long))).toBe('valid')
    issuer.isDown = true
    pass(30 * MINUTE)
    expect(await verdict(issuer.token({ ...long, sub: 'b' }))).toBe('valid')
  })

  it('of an issuer with a path are found', async () => {
    const { issuer, verdict } = await start('/realms/team')
    expect(await verdict(issuer.token())).toBe('valid')
  })

  it('a token that is remembered ends when it says', async () => {
    const { issuer, pass, verdict } = await start()
    const token = issuer.token({ exp: Date.now() / 1_000 + 60 })
    expect(await verdict(token)).toBe('valid')
    pass(MINUTE + 31_000)
    expect(await verdict(token)).toBe('invalid')
  })
})
