import { constants } from 'node:os'
import {
  allow,
  assemble,
  failWith,
  type Instruction,
  kill,
  loadArchitecture,
  loadArgument,
  loadNumber,
  unlessEqual,
  whenAnyBit,
  whenAtLeast,
  whenEqual,
} from './assembler.ts'
import { CALLS, type CallName } from './calls.ts'

export interface FilterOptions {
  /** Of the machine, as `process.arch` has it. */
  readonly arch: string
  /** It has namespaces of its own for processes and shared memory. */
  readonly isolated: boolean
  /** Kinds of sockets a program may make. Pairs of connected sockets are always allowed. */
  readonly sockets: readonly (keyof typeof SOCKETS)[]
}

/** Undefined on machines whose numbers we do not know. There are few different ones, each made once. */
export function createFilter(options: FilterOptions): Uint8Array | undefined {
  const key = JSON.stringify(options)
  const filter = made.get(key) ?? makeFilter(options)
  if (filter !== undefined) made.set(key, filter)
  return filter
}

const made = new Map<string, Uint8Array>()

function makeFilter({ arch, isolated, sockets }: FilterOptions): Uint8Array | undefined {
  const machine = MACHINES[arch]
  if (machine === undefined) return undefined
  const on = (name: CallName, body: readonly Instruction[]): readonly Instruction[] => {
    const number = CALLS[name][machine.column]
    return number === null ? [] : whenEqual(number, body)
  }
  const deny = (names: readonly CallName[], errno: number) =>
    names.flatMap((name) => on(name, [failWith(errno)]))
  return assemble([
    loadArchitecture(),
    ...unlessEqual(machine.id, [kill()]),
    loadNumber(),
    ...(arch === 'x64' ? whenAtLeast(X32_CALLS, [kill()]) : []),
    ...on('socket', onlySockets(sockets)),
    ...on('ioctl', [
      loadArgument(1),
      ...whenEqual(TYPE_INTO_TERMINAL, [failWith(EPERM)]),
      ...whenEqual(CONSOLE_SELECTION, [failWith(EPERM)]),
      allow(),
    ]),
    ...on('prlimit64', ownOnly(0)),
    // Programs try these first and know what to do without.
    ...deny(RINGS, ENOSYS),
    ...deny(KERNEL, EPERM),
    ...on('clone', [loadArgument(0), ...whenAnyBit(NEW_NAMESPACE, [failWith(EPERM)]), allow()]),
    // Its flags lie in memory, where a filter cannot look. The C library then uses clone.
    ...deny(['clone3'], ENOSYS),
    ...deny(NAMESPACES, EPERM),
    ...(isolated
      ? []
      : [
          ...deny(SHARED_BETWEEN_PROCESSES, EPERM),
          ...OF_A_PROCESS.flatMap((name) => on(name, ownOnly(0))),
          ...OF_A_KIND_AND_PROCESS.flatMap((name) => on(name, ownOnly(1))),
        ]),
    allow(),
  ])
}

const { EACCES, ENOSYS, EPERM } = constants.errno

/** `id` is how the kernel names it in a filter; `column` where its numbers stand. */
const MACHINES: Readonly<Record<string, { readonly id: number; readonly column: 0 | 1 }>> = {
  x64: { id: 0xc000003e, column: 0 },
  arm64: { id: 0xc00000b7, column: 1 },
}

/** Second numbers of the same calls, which would pass by every comparison. */
const X32_CALLS = 0x40000000

const TYPE_INTO_TERMINAL = 0x5412
const CONSOLE_SELECTION = 0x541c

/** CLONE_NEW* for time, mount, cgroup, uts, ipc, user, pid and net. Time shares its bit with the signal number. */
const NEW_NAMESPACE = 0x7e020000

const SOCKETS = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const

const RINGS: readonly CallName[] = ['io_uring_setup', 'io_uring_enter', 'io_uring_register']

const KERNEL: readonly CallName[] = [
  'ptrace',
  'process_vm_readv',
  'process_vm_writev',
  'pidfd_getfd',
  'kcmp',
  'bpf',
  'perf_event_open',
  'userfaultfd',
  'keyctl',
  'add_key',
  'request_key',
  'kexec_load',
  'kexec_file_load',
  'init_module',
  'finit_module',
  'delete_module',
  'open_by_handle_at',
  'fanotify_init',
  'acct',
  'swapon',
  'swapoff',
  'reboot',
  'settimeofday',
  'clock_settime',
  'clock_adjtime',
  'adjtimex',
  'quotactl',
  'syslog',
  'vhangup',
  'iopl',
  'ioperm',
  'migrate_pages',
  'move_pages',
]

const NAMESPACES: readonly CallName[] = [
  'unshare',
  'setns',
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'move_mount',
  'open_tree',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'mount_setattr',
]

/** Without an IPC namespace these are the host's. */
const SHARED_BETWEEN_PROCESSES: readonly CallName[] = ['shmget', 'semget', 'msgget', 'mq_open']

/** A process of the same user may slow down or end another one with these. 0 means the caller. */
const OF_A_PROCESS: readonly CallName[] = [
  'sched_setscheduler',
  'sched_setparam',
  'sched_setattr',
  'sched_setaffinity',
]
const OF_A_KIND_AND_PROCESS: readonly CallName[] = ['setpriority', 'ioprio_set']

function onlySockets(kinds: FilterOptions['sockets']): readonly Instruction[] {
  const passes = kinds.flatMap((kind) => whenEqual(SOCKETS[kind], [allow()]))
  return [loadArgument(0), ...passes, failWith(EACCES)]
}

function ownOnly(argument: number): readonly Instruction[] {
  return [loadArgument(argument), ...whenEqual(0, [allow()]), failWith(EPERM)]
}
