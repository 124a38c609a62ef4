import { readdirSync, renameSync, rmSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { createNodeStarter } from './node-starter.ts'
import { describeStarter, mentioning, newTag, request } from './starter.contract.ts'

describeStarter('node starter', () => createNodeStarter())

describe('node starter without a native launcher', () => {
  const tag = newTag()
  afterEach(() => {
    for (const line of mentioning(`600.${tag}`)) process.kill(Number.parseInt(line, 10), 'SIGKILL')
  })

  it('answers although a process it cannot find any more holds the pipes', async () => {
    const starter = createNodeStarter()
    // Left the session, cleared its environment, and lost its parent.
    const words = [
      '-c',
      `(setsid env -i sleep 600.${tag} &) ; until pgrep -f '^sleep 600.${tag}'; do :; done`,
    ]
    const end = await starter.run(request('/bin/sh', words))
    expect(end).toMatchObject({ cause: 'exit', exitCode: 0 })
    await starter.close()
  })

  it('marks a tool for the outer server too when it is a tool itself', async () => {
    const starter = createNodeStarter()
    const env = { PATH: '/usr/bin:/bin', MCP_RUN: 'outer.1' }
    const end = await starter.run(request('environment.sh', [], { env }))
    expect(end.stdout.toString()).toMatch(/^MCP_RUN=outer\.1,[0-9a-f]{32}\.000000000001$/m)
    await starter.close()
  })

  it('makes do with sockets where there are no FIFOs', async () => {
    const starter = createNodeStarter({ fifos: false })
    const end = await starter.run(request('repeat.sh', [], { stdin: 'through' }))
    expect(end.stdout.toString()).toBe('through')
    expect(await starter.run(request('slow.sh', [tag], { timeoutMs: 300 }))).toMatchObject({
      cause: 'timeout',
    })
    expect(await starter.run(request('/nowhere/x'))).toMatchObject({ cause: 'spawn' })
    await starter.close()
  })

  it('leaves no FIFOs behind', async () => {
    const starter = createNodeStarter()
    const [end] = await Promise.all(
      Array.from({ length: 50 }, () => starter.run(request('/bin/ls', ['-l', '/proc/self/fd']))),
    )
    const [, folder = 'none'] = /\/dev\/shm\/(orla-\w+)/.exec(end?.stdout.toString() ?? '') ?? []
    expect(readdirSync('/dev/shm')).toContain(folder)
    await starter.close()
    expect(readdirSync('/dev/shm')).not.toContain(folder)
  })

  it('goes on when someone cleared the memory it uses', async () => {
    const starter = createNodeStarter()
    const listing = async () =>
      (await starter.run(request('/bin/ls', ['-l', '/proc/self/fd']))).stdout.toString()
    const [folder = ''] = /\/dev\/shm\/orla-\w+/.exec(await listing()) ?? []
    // In one step: the starter may be making the next ones there right now.
    renameSync(folder, `${folder}-cleared`)
    rmSync(`${folder}-cleared`, { recursive: true, maxRetries: 5 })
    expect(await listing()).toContain('socket')
    // It is made again beside the calls, when the machine has time.
    await expect.poll(listing, { timeout: 15_000 }).toContain(folder)
    await starter.close()
  })

  it('knows the group where there is no /proc', async () => {
    const starter = createNodeStarter({ procfs: false })
    const end = await starter.run(request('hold-pipes.sh', [tag]))
    expect(end).toMatchObject({ cause: 'exit', exitCode: 0 })
    expect(mentioning(tag)).toEqual([])
    const slow = await starter.run(request('stubborn.sh', [tag], { timeoutMs: 500, graceMs: 50 }))
    expect(slow).toMatchObject({ cause: 'timeout', signal: 'SIGKILL' })
    expect(mentioning(tag)).toEqual([])
    await starter.close()
  })
})
