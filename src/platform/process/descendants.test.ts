import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { createDescendants } from './descendants.ts'
import { newTag } from './starter.contract.ts'

const descendants = createDescendants()
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

describe.skipIf(descendants === undefined)('descendants', () => {
  it.each([
    ['among the few pids since', (pid: number) => ({ pid: pid - 1, at: performance.now() })],
    ['among the many pids since', () => ({ pid: 2, at: performance.now() })],
    ['when the pids may have gone round', (pid: number) => ({ pid: pid - 1, at: Number.NEGATIVE_INFINITY })],
    ['when the pids have gone round', () => ({ pid: 4_000_000, at: performance.now() })],
  ])('finds a marked process %s', async (_, started) => {
    const marker = newTag()
    const pid = await startMarked(marker)
    // The made-up pid may be that of someone else's session: only the marked process matters.
    const find = async (sought: string) => {
      const found = await descendants?.remaining({ ...started(pid), marker: sought })
      return found?.living.map((member) => member.pid)
    }
    expect(await find(marker)).toContain(pid)
    expect(await find(newTag())).not.toContain(pid)
  })

  it('finds a session whatever its environment, and the children of what it found', async () => {
    const child = spawn('/bin/sh', ['-c', 'setsid -w env -i sleep 60; :'], {
      detached: true,
      stdio: 'ignore',
    })
    children.push(child)
    const pid = child.pid ?? 0
    const find = async () =>
      (await descendants?.all({ pid, marker: newTag(), at: performance.now() }))?.living ?? []
    const hasOther = async () => (await find()).some((member) => member.group !== pid)
    await expect.poll(hasOther, { timeout: 15_000 }).toBe(true)
    const members = await find()
    expect(members.map((member) => member.pid)).toContain(pid)
    for (const member of members) if (member.group !== pid) process.kill(member.pid, 'SIGKILL')
  })

  it('does not find what has ended', async () => {
    const marker = newTag()
    await startMarked(marker)
    const child = children[0]
    child?.kill('SIGKILL')
    if (child !== undefined) await once(child, 'exit')
    const found = await descendants?.all({ pid: 4_000_000, at: performance.now(), marker })
    expect(found?.living).toEqual([])
  })
})

async function startMarked(marker: string): Promise<number> {
  const child = spawn('/bin/sleep', ['60'], { env: { MCP_RUN: marker }, detached: true, stdio: 'ignore' })
  children.push(child)
  await once(child, 'spawn')
  return child.pid ?? 0
}
