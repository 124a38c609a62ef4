import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isLoopbackHost, reachOf } from './address.ts'
import { download } from './download.ts'
import { addressProblem, redirectProblem, urlProblem } from './hop.ts'
import { shownUrl } from './shown-url.ts'

let folder: string
let file: string
const servers = new Set<Server>()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-download-'))
  file = join(folder, 'file')
})
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true })
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  servers.clear()
})

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.add(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Port 0 on an address gives an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const LIMIT = { maxBytes: 1_000_000 }
const sha = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

describe('download', () => {
  it('Q89: writes the file and tells its size and digest, which may be promised', async () => {
    const bytes = Buffer.alloc(300_000, 'abc')
    const url = await serve((_, response) => response.end(bytes))
    await expect(download(url, file, LIMIT)).resolves.toEqual({ bytes: 300_000, sha256: sha(bytes) })
    expect(readFileSync(file).equals(bytes)).toBe(true)
    await download(url, file, { ...LIMIT, sha256: sha(bytes).toUpperCase() })
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it('Q89: keeps nothing with another digest than promised, and names both', async () => {
    const url = await serve((_, response) => response.end('evil'))
    const promised = sha('good')
    await expect(download(url, file, { ...LIMIT, sha256: promised })).rejects.toMatchObject({
      code: 'E_CHECKSUM',
      message: expect.stringMatching(new RegExp(`${sha('evil')}.*${promised}`)),
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('stops at the size cap, announced or not', async () => {
    const announced = await serve((_, response) => response.end(Buffer.alloc(101)))
    const endless = await serve((_, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', more)
      }
      more()
    })
    for (const url of [announced, endless])
      await expect(download(url, file, { maxBytes: 100 })).rejects.toMatchObject({
        code: 'E_DOWNLOAD',
        message: expect.stringContaining('more than 100 bytes'),
      })
    expect(readdirSync(folder)).toEqual([])
  })

  it('follows redirects, five at most', async () => {
    const url = await serve((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.end('here')
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    await expect(download(`${url}/5`, file, LIMIT)).resolves.toMatchObject({ bytes: 4 })
    await expect(download(`${url}/6`, file, LIMIT)).rejects.toMatchObject({
      code: 'E_DOWNLOAD',
      message: expect.stringContaining('more than 5 times'),
    })
  })

  it.each([
    ['file:///etc/passwd', 'not a scheme'],
    ['http://example.com/', 'not protected'],
    ['http://169.254.169.254/', 'not protected'],
    ['http://[', 'not an address'],
    ['https://169.254.169.254/', 'link-local'],
  ])('does not follow a redirect to %s', async (location, words) => {
    const url = await serve((_, response) => response.writeHead(301, { location }).end())
    await expect(download(url, file, LIMIT)).rejects.toMatchObject({
      code: 'E_DOWNLOAD',
      message: expect.stringContaining(words),
    })
  })

  it('tells a server that says no from one that cannot be reached', async () => {
    const url = await serve((request, response) => response.writeHead(Number(request.url?.slice(1))).end())
    await expect(download(`${url}/404`, file, LIMIT)).rejects.toMatchObject({
      code: 'E_DOWNLOAD',
      message: expect.stringContaining('404'),
    })
    await expect(download(`${url}/503`, file, LIMIT)).rejects.toMatchObject({ code: 'E_NETWORK' })
    await expect(download(`${url}/304`, file, LIMIT)).rejects.toMatchObject({ code: 'E_DOWNLOAD' })
    for (const server of servers) {
      server.close()
      await once(server, 'close')
    }
    servers.clear()
    await expect(download(url, file, LIMIT)).rejects.toMatchObject({
      code: 'E_NETWORK',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    await expect(download('https://no-such-host.invalid/', file, LIMIT)).rejects.toMatchObject({
      code: 'E_NETWORK',
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps nothing of a connection that breaks, stalls or is given up', async () => {
    const breaks = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    await expect(download(breaks, file, LIMIT)).rejects.toMatchObject({ code: 'E_NETWORK' })
    const giveUp = new AbortController()
    const stalls = await serve((_, response) => {
      response.write('half')
      giveUp.abort()
    })
    await expect(download(stalls, file, { ...LIMIT, signal: giveUp.signal })).rejects.toMatchObject({
      code: 'E_INTERRUPTED',
    })
    await expect(download(stalls, file, { ...LIMIT, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'E_NETWORK',
      message: expect.stringContaining('in time'),
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('says when the file cannot be written', async () => {
    const url = await serve((_, response) => response.end('x'))
    await expect(download(url, join(folder, 'none', 'file'), LIMIT)).rejects.toMatchObject({ code: 'E_FILE' })
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })

  it('takes http only on this machine or when allowed, and shows no credentials', async () => {
    await expect(download('http://user:secret@example.com/x', file, LIMIT)).rejects.toMatchObject({
      code: 'E_DOWNLOAD',
      message: expect.not.stringContaining('secret'),
    })
    await expect(download('not a url', file, LIMIT)).rejects.toMatchObject({ code: 'E_SOURCE' })
    const seen: (string | undefined)[] = []
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.end('x')
    })
    await download(url.replace('//', '//user:secret@').replace('127.0.0.1', 'localhost'), file, LIMIT)
    expect(seen).toEqual([`Basic ${Buffer.from('user:secret').toString('base64')}`])
  })
})

describe('where a download may go', () => {
  it('tells addresses by how far they reach', () => {
    const table: Record<string, string[]> = {
      loopback: ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1'],
      'link-local': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', '::ffff:169.254.0.1'],
      private: [
        '10.1.2.3',
        '172.16.0.1',
        '172.31.255.255',
        '192.168.1.1',
        '100.64.0.1',
        '0.0.0.0',
        'fd00::1',
        '::',
        '224.0.0.1',
      ],
      public: ['8.8.8.8', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8'],
    }
    for (const [reach, addresses] of Object.entries(table))
      for (const address of addresses) expect([address, reachOf(address)]).toEqual([address, reach])
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])
      expect(isLoopbackHost(host)).toBe(true)
    for (const host of ['localhost.evil.com', 'evil-localhost', '10.0.0.1', '127.0.0.1.evil.com'])
      expect(isLoopbackHost(host)).toBe(false)
  })

  it('never to a less safe scheme, and not from a public server into private networks', () => {
    const url = (text: string) => new URL(text)
    expect(urlProblem(url('https://a/'), false)).toBeUndefined()
    expect(urlProblem(url('http://a/'), false)).toContain('not protected')
    expect(urlProblem(url('http://a/'), true)).toBeUndefined()
    expect(urlProblem(url('ftp://a/'), true)).toContain('ftp')
    expect(redirectProblem(url('https://a/'), url('http://127.0.0.1/'), true)).toContain('less safe')
    expect(redirectProblem(url('http://a/'), url('https://b/'), true)).toBeUndefined()
    expect(addressProblem('public', 'public')).toBeUndefined()
    expect(addressProblem('private', 'public')).toBeDefined()
    expect(addressProblem('loopback', 'public')).toBeDefined()
    expect(addressProblem('loopback', 'private')).toBeDefined()
    expect(addressProblem('link-local', undefined)).toBeDefined()
    expect(addressProblem('loopback', 'loopback')).toBeUndefined()
    expect(addressProblem('private', undefined)).toBeUndefined()
  })

  it('shows URLs without their secrets', () => {
    expect(shownUrl('https://user:pw@host/x')).toBe('https://host/x')
    expect(shownUrl('fatal: https://token@host:8080/x and http://a:b@c/')).toBe(
      'fatal: https://host:8080/x and http://c/',
    )
    expect(shownUrl('https://u:p@ss@host/x@y')).toBe('https://host/x@y')
    expect(shownUrl('ssh://git@host/x')).toBe('ssh://git@host/x')
    expect(shownUrl('ssh://git:pw@host/x')).toBe('ssh://git@host/x')
    expect(shownUrl('git@host:x')).toBe('git@host:x')
  })
})
