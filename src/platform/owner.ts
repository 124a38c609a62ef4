import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { sha256 } from '../model/index.ts'
import { isRunning, startTicks } from './pid.ts'

/**
 * Names this process for good, in characters a file name may have: pid, start, and the place where the pid
 * means something. What a dead process left behind is told from what is in use by it.
 */
export function ownerMark(): string {
  mark ??= `${process.pid}-${startTicks(process.pid) ?? 0}-${place()}`
  return mark
}

let mark: string | undefined

/** `elsewhere`: another machine, container or boot; only the age of its files tells. */
export type OwnerState = 'living' | 'gone' | 'elsewhere'

export function ownerState(of: string): OwnerState {
  const [pid = '', ticks = '', where] = of.split('-')
  if (where !== place()) return 'elsewhere'
  const startedAt = ticks === '0' ? null : ticks
  return isRunning(Number(pid), startedAt) && !isZombie(Number(pid)) ? 'living' : 'gone'
}

/** As `ownerMark` writes it. */
export const OWNER_PATTERN = '[0-9]+-[0-9]+-[0-9a-f]{12}'

function place(): string {
  here ??= sha256(`${hostname()} ${bootId()} ${pidNamespace()}`).slice(0, 12)
  return here
}

let here: string | undefined

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Dead, but nobody has asked for its exit status yet. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}
