import { expect, it } from 'vitest'
import type { Json } from '../model/index.ts'
import { createEntrance } from './entrance.ts'
import { createPending } from './pending.ts'

const line = (method: string, id?: number) => JSON.stringify({ jsonrpc: '2.0', method, id })

function open() {
  const taken: Json[] = []
  let freed = 0
  let listable = () => {}
  let callable = () => {}
  const pending = createPending()
  const entrance = createEntrance({
    ready: {
      listable: new Promise<void>((resolve) => {
        listable = resolve
      }),
      callable: new Promise<void>((resolve) => {
        callable = resolve
      }),
    },
    pending,
    onMessage: (message) => void taken.push((message as { method: string }).method),
    onTooDeep: () => void taken.push('too deep'),
    onFree: () => void freed++,
  })
  let looked = false
  void entrance.looked.then(() => {
    looked = true
  })
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return { entrance, pending, taken, listable, callable, turn, freed: () => freed, looked: () => looked }
}

it('greets at any time, lists once there is a catalog, and lets in everything once calls can be carried out', async () => {
  const { entrance, taken, listable, callable, turn, freed, looked } = open()
  for (const method of ['initialize', 'tools/list', 'ping', 'tools/list']) entrance.take(line(method, 1))
  await turn()
  expect([taken, entrance.isHolding(), looked()]).toEqual([['initialize'], true, false])
  listable()
  await turn()
  expect(taken).toEqual(['initialize', 'tools/list', 'ping', 'tools/list'])
  expect([entrance.isHolding(), freed(), looked()]).toEqual([false, 1, true])
  for (const method of ['tools/call', 'tools/list']) entrance.take(line(method, 2))
  await turn()
  expect([taken.length, entrance.isHolding()]).toEqual([4, true])
  callable()
  await turn()
  expect(taken.slice(4)).toEqual(['tools/call', 'tools/list'])
  entrance.take(line('prompts/list', 3))
  expect([taken.length, freed()]).toEqual([7, 2])
})

it('a client that wants something else than a list keeps nobody waiting for its first look', async () => {
  const { entrance, listable, turn, looked } = open()
  entrance.take(line('tools/call', 1))
  await turn()
  expect(looked()).toBe(false)
  listable()
  await turn()
  expect(looked()).toBe(true)
})

it('what nests too deeply is handed on to nobody, whatever is open', async () => {
  const { entrance, taken, listable, turn } = open()
  const deep = (levels: number) => `{"method":"ping","x":${'['.repeat(levels)}${']'.repeat(levels)}}`
  for (const levels of [63, 64, 100_000]) entrance.take(deep(levels))
  entrance.take(`{"method":"ping","x":"${'[{'.repeat(999)}"}`)
  listable()
  await turn()
  expect(taken).toEqual(['ping', 'too deep', 'too deep', 'ping'])
})

it('what waits is pending until it was handed on', async () => {
  const { entrance, pending, listable, callable, turn } = open()
  let isIdle = false
  entrance.take(line('prompts/list', 1))
  void pending.idle().then(() => {
    isIdle = true
  })
  listable()
  await turn()
  expect(isIdle).toBe(false)
  callable()
  await turn()
  expect(isIdle).toBe(true)
})
