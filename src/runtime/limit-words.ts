import { constants } from 'node:os'
import type { SandboxLimits } from '../model/index.ts'
import type { ProcessEnd } from '../platform/index.ts'
import { durationWords, sizeWords } from './measure-words.ts'

type End = Pick<ProcessEnd, 'exitCode' | 'signal' | 'stderr'>

/**
 * Which limit ended a program, to follow its name; undefined when none did. For time and files the system sends a
 * signal; one that gets no memory or no process learns it from a call that fails, and says so in its last words.
 */
export function limitWords(end: End, limits: SandboxLimits): string | undefined {
  const { cpuMs, memoryBytes, processes, fileBytes } = limits
  if (end.exitCode === 0) return undefined
  if (cpuMs !== undefined && wasSignalled(end, 'SIGXCPU')) {
    return `used more than ${durationWords(cpuMs)} of processor time and was ended`
  }
  const said = end.stderr.subarray(-LAST_WORDS).toString('utf8')
  if (fileBytes !== undefined && (wasSignalled(end, 'SIGXFSZ') || /File too large|EFBIG/i.test(said))) {
    return `wrote a file of more than ${sizeWords(fileBytes)}`
  }
  if (memoryBytes !== undefined && NO_MEMORY.test(said)) {
    return `needed more than the ${sizeWords(memoryBytes)} of memory it may have`
  }
  if (processes !== undefined && NO_PROCESS.test(said)) {
    return `started more than the ${processes} processes it may have`
  }
  return undefined
}

const LAST_WORDS = 16 * 1024
const NO_MEMORY =
  /MemoryError|bad_alloc|out of memory|cannot allocate|could not allocate|memory exhausted|ENOMEM/i
const NO_PROCESS =
  /cannot fork|can't fork|fork: |can't start new thread|EAGAIN|resource temporarily unavailable/i

/** Also of what a shell started: it ends with 128 and the number. */
function wasSignalled({ signal, exitCode }: End, name: 'SIGXCPU' | 'SIGXFSZ'): boolean {
  return signal === name || exitCode === 128 + constants.signals[name]
}
