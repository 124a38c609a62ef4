/**
 * Programs of the kernel's packet filter, as seccomp runs them: one for each system call, over its number and
 * arguments. An instruction is its code, how many to skip when a comparison holds and when not, and a number.
 */
export interface Instruction {
  readonly code: number
  readonly ifTrue: number
  readonly ifFalse: number
  readonly value: number
}

const LOAD_WORD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_AT_LEAST = 0x35
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const FAIL = 0x00050000

/** Where the kernel lays out what a filter may look at. */
const NUMBER = 0
const ARCHITECTURE = 4
const ARGUMENTS = 16

const plain = (code: number, value: number): Instruction => ({ code, ifTrue: 0, ifFalse: 0, value })

export const allow = (): Instruction => plain(RETURN, ALLOW)
export const kill = (): Instruction => plain(RETURN, KILL_PROCESS)
/** The call does nothing and gives this error. */
export const failWith = (errno: number): Instruction => plain(RETURN, FAIL | errno)
export const loadNumber = (): Instruction => plain(LOAD_WORD, NUMBER)
export const loadArchitecture = (): Instruction => plain(LOAD_WORD, ARCHITECTURE)
/** The lower half: all that flags, domains and pids have. */
export const loadArgument = (index: number): Instruction => plain(LOAD_WORD, ARGUMENTS + 8 * index)

/** Runs the body when the loaded word is the value, else goes on behind it. */
export const whenEqual = (value: number, body: readonly Instruction[]): readonly Instruction[] =>
  guard(JUMP_EQUAL, value, body)
export const unlessEqual = (value: number, body: readonly Instruction[]): readonly Instruction[] => [
  { code: JUMP_EQUAL, ifTrue: body.length, ifFalse: 0, value },
  ...body,
]
export const whenAtLeast = (value: number, body: readonly Instruction[]): readonly Instruction[] =>
  guard(JUMP_AT_LEAST, value, body)
export const whenAnyBit = (value: number, body: readonly Instruction[]): readonly Instruction[] =>
  guard(JUMP_ANY_BIT, value, body)

function guard(code: number, value: number, body: readonly Instruction[]): readonly Instruction[] {
  // Such a jump has eight bits.
  if (body.length > 255) throw new RangeError('the body of a comparison is too long')
  return [{ code, ifTrue: 0, ifFalse: body.length, value }, ...body]
}

/** Eight bytes an instruction, as the machines that have a launcher order them. */
export function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, { code, ifTrue, ifFalse, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return bytes
}
