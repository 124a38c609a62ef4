import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { CALLS, type CallName } from './calls.ts'
import { createFilter, type FilterOptions } from './filter.ts'

const { EACCES, ENOSYS, EPERM } = constants.errno
const MACHINES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const

/** What the kernel would do: the same instructions over the same bytes. */
function judge(filter: Uint8Array, call: { number: number; machine: number; words?: readonly number[] }) {
  const code = Buffer.from(filter)
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call.number, 0)
  data.writeUInt32LE(call.machine, 4)
  for (const [index, word] of (call.words ?? []).entries()) data.writeUInt32LE(word >>> 0, 16 + 8 * index)
  let loaded = 0
  for (let at = 0; at * 8 < code.length; at++) {
    const value = code.readUInt32LE(at * 8 + 4)
    const jump = (holds: boolean) => {
      at += code.readUInt8(at * 8 + (holds ? 2 : 3))
    }
    switch (code.readUInt16LE(at * 8)) {
      case 0x20:
        loaded = data.readUInt32LE(value)
        break
      case 0x15:
        jump(loaded === value)
        break
      case 0x35:
        jump(loaded >= value)
        break
      case 0x45:
        jump((loaded & value) !== 0)
        break
      case 0x06:
        if (value === 0x7fff0000) return 'allow'
        if (value === 0x80000000) return 'kill'
        return value & 0xffff
      default:
        throw new Error('an instruction that was not expected')
    }
  }
  throw new Error('no end')
}

describe.each(['x64', 'arm64'] as const)('the filter on %s', (arch) => {
  const of = (options: Partial<FilterOptions> = {}) => {
    const filter = createFilter({ arch, isolated: false, sockets: [], ...options })
    if (filter === undefined) throw new Error('no filter')
    return (name: CallName, ...words: readonly number[]) => {
      const number = CALLS[name][arch === 'x64' ? 0 : 1]
      return number === null ? 'none' : judge(filter, { number, machine: MACHINES[arch], words })
    }
  }

  it.each([
    'ptrace',
    'bpf',
    'keyctl',
    'userfaultfd',
    'kexec_load',
    'init_module',
    'mount',
    'unshare',
    'setns',
  ] as const)('Q91: denies %s', (name) => expect(of()(name)).toBe(EPERM))

  it('Q91: denies new namespaces, and lets processes and threads be made', () => {
    const call = of()
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
      expect(call('clone', flag | 17)).toBe(EPERM)
    expect(call('clone', 0x3d0f00)).toBe('allow')
    expect(call('clone', 0x1200011)).toBe('allow')
    expect(call('clone3')).toBe(ENOSYS)
  })

  it('Q91: leaves to a program what its own namespaces hold', () => {
    const call = of({ isolated: true })
    expect([call('shmget'), call('setpriority', 0, 1)]).toEqual(['allow', 'allow'])
    expect([of()('shmget'), of()('setpriority', 0, 1)]).toEqual([EPERM, EPERM])
    for (const name of ['mount', 'unshare', 'ptrace', 'keyctl'] as const) expect(call(name)).toBe(EPERM)
  })

  it('Q91: allows the sockets it was told, no other', () => {
    const UNIX = 1
    const INET = 2
    const PACKET = 17
    const VSOCK = 40
    for (const kind of [UNIX, INET, PACKET, VSOCK]) expect(of()('socket', kind)).toBe(EACCES)
    const open = of({ sockets: ['inet', 'inet6'] })
    expect([UNIX, INET, 10, PACKET, VSOCK].map((kind) => open('socket', kind))).toEqual([
      EACCES,
      'allow',
      'allow',
      EACCES,
      EACCES,
    ])
    expect(of({ sockets: ['unix'] })('socket', UNIX)).toBe('allow')
  })

  it('Q91: keeps terminals and other processes out of reach', () => {
    const call = of()
    expect(call('ioctl', 0, 0x5412)).toBe(EPERM)
    expect(call('ioctl', 0, 0x541c)).toBe(EPERM)
    expect(call('ioctl', 0, 0x5401)).toBe('allow')
    expect([call('prlimit64', 0), call('prlimit64', 1)]).toEqual(['allow', EPERM])
    expect([call('setpriority', 0, 0), call('setpriority', 0, 1)]).toEqual(['allow', EPERM])
  })

  it('Q91: knows no other machine', () => {
    const filter = createFilter({ arch, isolated: false, sockets: [] }) ?? new Uint8Array()
    const machine = MACHINES[arch === 'x64' ? 'arm64' : 'x64']
    expect(judge(filter, { number: 0, machine })).toBe('kill')
    expect(judge(filter, { number: 0, machine: MACHINES[arch] })).toBe('allow')
    if (arch === 'x64') expect(judge(filter, { number: 0x40000000 + 41, machine: MACHINES.x64 })).toBe('kill')
  })
})

it('there is none for a machine whose numbers are not known', () => {
  expect(createFilter({ arch: 'riscv64', isolated: false, sockets: [] })).toBeUndefined()
})
