import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Caller, Catalog, ChainStep, Grant, Run, Tool } from '../../model/index.ts'
import { openGrants } from './book.ts'
import { createConsent } from './consent.ts'
import { createGate } from './gate.ts'
import { openPackageGate } from './open.ts'

const CALLER: Caller = { connection: 'c', requestId: 1, transport: 'http', era: 'legacy' }
const SPAWN: Run = { kind: 'spawn', command: { file: '/bin/true', args: [], cwd: '/', script: '/bin/true' } }

const OPEN = new AbortController().signal

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'orla-grants-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

function tool(name: string, permissions: readonly string[] | null, more: Partial<Tool> = {}): Tool {
  return {
    name,
    version: '1.0.0',
    description: name,
    origin: {
      kind: 'package',
      file: `/tools/${name}`,
      folder: '/tools',
      scope: 'project',
      package: { name, permissions, limits: {}, receipt: { digest: `digest-${name}`, permissions: [] } },
    },
    run: SPAWN,
    digest: name,
    ...more,
  }
}

function grant(name: string, permissions: readonly string[], more: Partial<Grant> = {}): Grant {
  return {
    name,
    version: '1.0.0',
    digest: `digest-${name}`,
    permissions,
    unenforced: ['network'],
    accepted_at: '2026-11-15T10:00:00.000Z',
    how: 'prompt',
    ...more,
  }
}

function catalogOf(...tools: readonly Tool[]): Catalog {
  return { tools: new Map(tools.map((one) => [one.name, one])), problems: [] }
}

function factsOf({ origin }: Tool) {
  if (origin.kind === 'loose') throw new Error('a package was expected')
  return origin.package
}

function step(called: string): ChainStep {
  return {
    step: called,
    tool: called,
    outputKey: called,
    input: {},
    optional: false,
    parallel: false,
    retry: 0,
    concurrency: 1,
  }
}

describe('Q90: the gate', () => {
  it('lets an installed package run when this very content was accepted, and nothing else', async () => {
    const book = openGrants(makeHome())
    const gate = createGate(book)
    const fs = tool('fs', ['filesystem:read', 'network'])
    expect(gate.admit(fs, CALLER)).toMatch(/`orla grant fs@v1\.0\.0`/)
    expect(gate.acceptedFor(factsOf(fs))).toBeUndefined()
    await book.add([grant('fs', ['network'])])
    expect(gate.admit(fs, CALLER)).toBeUndefined()
    expect(gate.acceptedFor(factsOf(fs))).toEqual({
      permissions: ['network'],
      unenforced: ['network'],
      source: 'digest-fs',
    })

    const other = { ...factsOf(fs), receipt: { digest: 'another', permissions: ['network'] } }
    expect(gate.acceptedFor(other)).toBeUndefined()
    expect(gate.admit({ ...fs, version: '2.0.0' }, CALLER)).toMatch(/is not run/)
    // A manifest that asks for less than was accepted gets less.
    expect(gate.acceptedFor({ ...factsOf(fs), permissions: [] })?.permissions).toEqual([])
  })

  it('leaves loose tools and what was placed by hand to their owner', () => {
    const gate = createGate(openGrants(makeHome()))
    const { receipt: _, ...own } = factsOf(tool('own', null))
    expect(gate.acceptedFor(own)).toEqual({ permissions: null, unenforced: 'all' })
    const loose = tool('loose', null, { origin: { kind: 'loose', file: '/tools/loose' } })
    expect(gate.admit(loose, CALLER)).toBeUndefined()
    expect(gate.missing(loose, catalogOf(loose))).toEqual([])
  })

  it('accepts the workspace profile by its word', async () => {
    const book = openGrants(makeHome())
    await book.add([grant('plain', ['filesystem:write:./'])])
    const gate = createGate(book)
    expect(gate.acceptedFor(factsOf(tool('plain', null)))?.permissions).toEqual(['filesystem:write:./'])
  })

  it('finds what every step of a chain lacks, and survives a circle', () => {
    const gate = createGate(openGrants(makeHome()))
    const chain = (name: string, ...called: string[]) =>
      tool(name, [], { run: { kind: 'chain', steps: called.map(step) } })
    const outer = chain('outer', 'inner', 'fs', 'missing')
    const catalog = catalogOf(outer, chain('inner', 'outer', 'fs'), tool('fs', ['network']))
    expect(gate.missing(outer, catalog).map(({ name }) => name)).toEqual(['outer', 'inner', 'fs'])
  })

  it('sends no request of which a part was taken back', async () => {
    const book = openGrants(makeHome())
    const gate = createGate(book)
    const endpoint = { type: 'http', method: 'GET', url: 'https://example.com/' } as const
    const http = tool('web', ['network:example.com', 'secret:KEY', 'filesystem:read:./x'], {
      run: {
        kind: 'implementations',
        candidates: [
          { id: 'web', kind: 'http', endpoint, auth: { type: 'none', scopes: [], env: [], hints: {} } },
        ],
      },
    })
    await book.add([grant('web', ['network:example.com'])])
    expect(gate.admit(http, CALLER)).toMatch(/it needs secret:KEY, which is not accepted/)
    await book.add([grant('web', ['network:example.com', 'secret:KEY'])])
    expect(gate.admit(http, CALLER)).toBeUndefined()
  })

  it('lends to one caller only, and takes back', async () => {
    const book = openGrants(makeHome())
    const gate = createGate(book)
    const consent = createConsent({ gate, book, now: () => new Date(), signal: OPEN })
    const fs = tool('fs', ['network'])
    const catalog = catalogOf(fs)
    const question = await consent.question(fs, catalog, CALLER)
    expect(question?.text).toMatch(/fs 1\.0\.0.*\n- it connects to ANY host \(network\)/)
    const release = await question?.accept('once', CALLER)
    expect(gate.admit(fs, CALLER)).toBeUndefined()
    expect(gate.acceptedFor(factsOf(fs))).toMatchObject({ permissions: ['network'], unenforced: [] })
    expect(gate.admit(fs, { ...CALLER })).toMatch(/is not run/)
    expect(consent.isNeeded(fs, catalog)).toBe(true)
    release?.()
    expect(gate.admit(fs, CALLER)).toMatch(/is not run/)
    expect(gate.acceptedFor(factsOf(fs))).toBeUndefined()
    expect(book.all()).toEqual([])
  })

  it('asks nobody who was let in under a name of their own', async () => {
    const book = openGrants(makeHome())
    const consent = createConsent({ gate: createGate(book), book, now: () => new Date(), signal: OPEN })
    const fs = tool('fs', ['network'])
    const asks = (principal?: string) =>
      consent.question(fs, catalogOf(fs), { ...CALLER, ...(principal !== undefined && { principal }) })
    expect(await asks()).toBeDefined()
    expect(await asks('token')).toBeDefined()
    expect(await asks('token:ci')).toBeUndefined()
    expect(await asks('oauth:someone')).toBeUndefined()
  })

  it('does not lend to what stays, and keeps what is accepted for good with what was said', async () => {
    const book = openGrants(makeHome())
    const gate = createGate(book)
    const enforcement = async () => ({ backend: 'none', enforced: [], unenforced: ['files'] }) as const
    const consent = createConsent({ gate, book, now: () => new Date(0), signal: OPEN, enforcement })
    const { command } = SPAWN.kind === 'spawn' ? SPAWN : { command: undefined }
    if (command === undefined) throw new Error('unreachable')
    const capsule = tool('cap', ['network'], {
      run: {
        kind: 'capsule',
        toolName: 'cap',
        capsule: {
          name: 'cap',
          version: '1.0.0',
          command,
          identity: 'cap',
          handshake: 'orla',
          startupTimeoutMs: 1,
          start: 'lazy',
          restart: {},
        },
      },
    })
    const question = await consent.question(capsule, catalogOf(capsule), CALLER)
    expect(question).toMatchObject({ canBeOnce: false, text: expect.stringMatching(/cannot enforce: files/) })
    await question?.accept('always', CALLER)
    expect(book.all()).toMatchObject([{ name: 'cap', unenforced: ['files'], how: 'elicitation' }])
    expect(await consent.question(capsule, catalogOf(capsule), CALLER)).toBeUndefined()
  })
})

describe('Q90: what was accepted', () => {
  it('is seen at once by other processes, and loses nothing written at the same time', async () => {
    const home = makeHome()
    const books = Array.from({ length: 6 }, () => openGrants(home))
    const changes: number[] = []
    books[0]?.look()
    books[0]?.onChange(() => changes.push(1))
    await Promise.all(books.map((book, index) => book.add([grant(`p${index}`, [])])))
    expect(books[0]?.all().map(({ name }) => name)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5'])
    expect(changes.length).toBeGreaterThan(0)
    await books[1]?.change((one) => (one.name === 'p3' ? undefined : one))
    books[0]?.look()
    expect(books[0]?.find({ name: 'p3', digest: 'digest-p3' })).toBeUndefined()
  })

  it('is nothing when the file is damaged, and again something when it is not', async () => {
    const home = makeHome()
    const book = openGrants(home)
    await book.add([grant('fs', [])])
    const key = { name: 'fs', digest: 'digest-fs' }
    expect(book.find(key)).toBeDefined()
    writeFileSync(join(home, 'grants.json'), '{"v":1,"grants":[{"name":"fs","version":"1.0.0"}]}')
    book.look()
    expect(book.find(key)).toBeUndefined()
    expect(() => book.all()).toThrow(/damaged/)
    await expect(book.add([grant('fs', [])])).rejects.toThrow(/damaged/)
    expect(createGate(book).admit(tool('fs', []), CALLER)).toMatch(/is damaged.*remove it/)
    rmSync(join(home, 'grants.json'))
    book.look()
    expect(book.all()).toEqual([])
  })
})

it('Q90: who calls from another machine is not asked', () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
  const asks = (transport: 'http' | 'stdio', host: string) =>
    openPackageGate(makeHome(), { transport, host }, silent).consent !== undefined
  expect([asks('http', '127.0.0.1'), asks('stdio', '0.0.0.0'), asks('http', '0.0.0.0')]).toEqual([
    true,
    true,
    false,
  ])
})
