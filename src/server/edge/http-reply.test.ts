import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type Raw, raw, until } from '../test-kit.ts'
import { createHttpReply, type HttpReply } from './http-reply.ts'
import type { PulseMember } from './pulse.ts'

const members = new Set<PulseMember>()
const pulse = {
  join: (member: PulseMember) => void members.add(member),
  leave: (member: PulseMember) => void members.delete(member),
}
const beat = () => {
  for (const member of members) member.beat()
}

let client: Raw
let close = () => {}
afterEach(() => {
  client.socket.destroy()
  close()
  members.clear()
})

/** The reply to the one request there is, and what its client hears. */
async function open(): Promise<HttpReply> {
  const server = createServer()
  const arrived = new Promise<ServerResponse>((resolve) => server.on('request', (_req, res) => resolve(res)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => server.close()
  // A TCP server's address is an object once it listens.
  const { port } = server.address() as AddressInfo
  client = await raw(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  return createHttpReply({ res: await arrived, stallMs: 1_000, pulse, head: () => ['X-Own', 'yes'] })
}

it('is JSON when there is nothing but the answer', async () => {
  const reply = await open()
  reply.keepAlive()
  reply.send('{"a":"é"}')
  await until(() => client.received().includes('}'), 'the answer')
  expect(client.received()).toMatch(/content-type: application\/json\r\ncontent-length: 10\r\n/i)
  expect(client.received()).toContain('X-Own: yes')
  expect(members.size).toBe(0)
  reply.send('again')
  reply.note('late')
  reply.abandon()
})

it('a long answer arrives whole', async () => {
  const reply = await open()
  const head = Buffer.alloc(700_000, 'x')
  reply.send({ head, tail: 'end' })
  await until(() => client.received().endsWith('end'), 'the answer')
  expect(client.received()).toContain('Content-Length: 700003')
  expect(client.received().split('\r\n\r\n')[1]).toHaveLength(700_003)
})

it('is a stream after a sign of life, and the answer an event', async () => {
  const reply = await open()
  reply.keepAlive()
  beat()
  await until(() => client.received().includes(': keepalive\n\n'), 'the sign of life')
  expect(client.received()).toMatch(/content-type: text\/event-stream/i)
  reply.note('{"step":1}')
  reply.send({ head: Buffer.from('{"a":'), tail: '1}' })
  await until(() => client.received().endsWith('0\r\n\r\n'), 'the end')
  expect(client.received()).toMatch(/data: \{"step":1\}\n\n[\s\S]*event: message\ndata: \{"a":1\}\n\n/)
  expect(members.size).toBe(0)
})

it('is an empty stream when the call was taken back', async () => {
  const reply = await open()
  reply.keepAlive()
  reply.abandon()
  await until(() => client.received().endsWith('0\r\n\r\n'), 'the end')
  expect(client.received()).not.toContain('data:')
  expect(members.size).toBe(0)
})
