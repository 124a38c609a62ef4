import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type GatePassage, type HostGate, openHostGate } from './host-gate.ts'

const folder = mkdtempSync(join(tmpdir(), 'gate-'))
const server = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => {})
  let said = ''
  socket.on('data', (chunk) => {
    said += String(chunk)
  })
  socket.on('end', () => socket.end(`you said ${said}`))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

let gate: HostGate | undefined
afterEach(async () => {
  await gate?.close()
  expect(existsSync(join(folder, 'gate'))).toBe(false)
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Opens a gate to one host, says something, and tells what came back and what was logged. */
async function pass(host: string, addresses?: readonly string[], say = 'hello') {
  let told: (passage: GatePassage) => void = () => {}
  const passage = new Promise<GatePassage>((settle) => {
    told = settle
  })
  gate = await openHostGate({
    hosts: [{ host, port }],
    folder: join(folder, 'gate'),
    onPassage: (which) => told(which),
    ...(addresses && { resolve: () => Promise.resolve(addresses) }),
  })
  const socket = connect(gate.sockets[0] ?? '')
  socket.on('error', () => {})
  socket.end(say)
  const answer = await text(socket).catch(() => '')
  return { answer, passage: await passage }
}

describe('the way out to one host', () => {
  it('Q91: carries both directions, and what went through is told', async () => {
    const { answer, passage } = await pass('127.0.0.1')
    expect(answer).toBe('you said hello')
    expect(passage).toEqual({
      host: '127.0.0.1',
      port,
      address: '127.0.0.1',
      sentBytes: 5,
      receivedBytes: 14,
    })
    expect(statSync(join(folder, 'gate')).mode & 0o77).toBe(0)
  })

  it.each([
    ['a name for this machine', 'rebound.example', ['127.0.0.1']],
    ['a name for this machine in other clothes', 'rebound.example', ['::ffff:127.0.0.1']],
    ['a name for this network', 'inside.example', ['10.0.0.1', '192.168.1.1', 'fd12::1']],
    ['this network by a name for this machine', 'inside.localhost', ['10.0.0.1']],
    ['the keys of a cloud', 'metadata.example', ['169.254.169.254']],
    ['the keys of a cloud, named', '169.254.169.254', ['169.254.169.254']],
    ['the keys of a cloud over IPv6, named', '[fd00:ec2::254]', ['fd00:ec2::254']],
    ['nothing', 'nowhere.example', []],
  ])('Q91: does not lead to %s', async (_, host, addresses) => {
    const { answer, passage } = await pass(host, addresses)
    expect(answer).toBe('')
    expect(passage).toMatchObject({ host, address: undefined, sentBytes: 0, receivedBytes: 0 })
    expect(passage.problem).toContain(host)
  })

  it('Q91: asks for the address once', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    const passages: GatePassage[] = []
    gate = await openHostGate({
      hosts: [{ host: 'localhost', port }],
      folder: join(folder, 'gate'),
      onPassage: (passage) => passages.push(passage),
      resolve: () => Promise.resolve(answers.shift() ?? []),
    })
    for (const said of ['one', 'two']) {
      const socket = connect(gate.sockets[0] ?? '')
      socket.end(said)
      expect(await text(socket)).toBe(`you said ${said}`)
    }
    expect(answers).toHaveLength(1)
  })

  it('closes what is open', async () => {
    gate = await openHostGate({ hosts: [{ host: 'localhost', port }], folder: join(folder, 'gate') })
    const socket = connect(gate.sockets[0] ?? '')
    socket.on('error', () => {})
    await once(socket, 'connect')
    const closed = once(socket, 'close')
    await gate.close()
    await closed
  })

  it.each([
    ['a.example.test\nhello', 'a.example.test'],
    ['b.a.example.test\nhello', 'b.a.example.test'],
  ])('Q91: a pattern leads to the name below it that is said first: %j', async (say, host) => {
    const { passage } = await pass('*.example.test', ['10.0.0.1'], say)
    expect(passage).toMatchObject({ host, problem: expect.stringContaining(`${host} leads to 10.0.0.1`) })
  })

  it('Q91: what follows the name goes through as it is', async () => {
    const { answer, passage } = await pass('*.here.localhost', ['127.0.0.1'], 'a.here.localhost\nhello')
    expect(answer).toBe('you said hello')
    expect(passage).toMatchObject({ host: 'a.here.localhost', address: '127.0.0.1', sentBytes: 5 })
  })

  it.each([
    'example.test\n',
    'evilexample.test\n',
    '.example.test\n',
    'a..example.test\n',
    'a.example.test.evil.org\n',
    'a.example.test\0\n',
    'A.EXAMPLE.TEST\n',
    '169.254.169.254\n',
    '\n',
    'no end',
    '',
    `${'a'.repeat(300)}.example.test\n`,
  ])('Q91: a pattern leads nowhere else: %j', async (say) => {
    const { answer, passage } = await pass('*.example.test', ['127.0.0.1'], say)
    expect(answer).toBe('')
    expect(passage).toMatchObject({ host: '*.example.test', address: undefined, sentBytes: 0 })
  })

  it('a name that had no address is asked for again', async () => {
    let asked = 0
    const problems: (string | undefined)[] = []
    gate = await openHostGate({
      hosts: [{ host: 'late.test', port }],
      folder: join(folder, 'gate'),
      onPassage: ({ problem }) => problems.push(problem),
      resolve: async () => {
        asked++
        if (asked === 1) throw new Error('no network yet')
        return ['10.0.0.1']
      },
    })
    for (let call = 0; call < 2; call++) {
      const socket = connect(gate.sockets[0] ?? '')
      socket.on('error', () => {})
      await text(socket).catch(() => '')
    }
    expect(problems).toEqual(['no network yet', expect.stringContaining('leads to 10.0.0.1')])
  })
})
