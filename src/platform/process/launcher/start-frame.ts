import { resolve } from 'node:path'
import type { OpenRequest } from '../starter.ts'
import type { FrameWriter } from './frame-writer.ts'
import { RULE_OPTIONAL, START_FLAGS, TO } from './protocol.ts'
import type { Confinement, ProcessLimits, ProcessSetup } from './setup.ts'

export interface StartFrame {
  readonly request: Pick<OpenRequest, 'file' | 'args' | 'cwd' | 'env'>
  readonly setup: ProcessSetup | undefined
  /** `START_FLAGS` that do not follow from the setup. */
  readonly flags: number
  readonly environment: number
  readonly marker: string
  /** Its beginning. */
  readonly input: Uint8Array
}

/** A call begins with one frame, written with one system call. Throws what the writer throws. */
export function writeStart(
  writer: FrameWriter,
  id: number,
  { request, setup, flags, environment, marker, input }: StartFrame,
): Buffer {
  const { file, args, cwd, env } = request
  const confinement = setup?.confinement
  writer.begin(TO.START, id)
  writer.u32(
    flags |
      (setup?.umask === undefined ? 0 : START_FLAGS.UMASK) |
      (setup?.group === undefined ? 0 : START_FLAGS.GROUP) |
      (confinement === undefined ? 0 : START_FLAGS.CONFINED),
  )
  writer.u32(environment)
  writer.u32(setup?.umask ?? 0)
  if (setup?.group !== undefined) writer.string(setup.group)
  writeLimits(writer, setup?.limits)
  if (confinement !== undefined) writeConfinement(writer, confinement)
  writer.string(marker)
  writer.string(resolve(cwd))
  writer.string(file)
  writer.strings([file, ...args])
  // A server that is itself a tool of another server hands the outer marker on: both find the process.
  writer.strings([`MCP_RUN=${env.MCP_RUN ? `${env.MCP_RUN},` : ''}${marker}`])
  writer.bytes(input)
  return writer.end()
}

/** As the kernel numbers them, the same on every machine that Orla has a launcher for. */
const RESOURCES = { cpuSeconds: 0, fileBytes: 1, dataBytes: 2, processes: 6, openFiles: 7 } as const

function writeLimits(writer: FrameWriter, limits: ProcessLimits | undefined): void {
  const wanted: [number, number, number][] = []
  for (const name of Object.keys(RESOURCES) as (keyof typeof RESOURCES)[]) {
    const limit = limits?.[name]
    if (limit === undefined || !Number.isFinite(limit)) continue
    const soft = Math.max(0, Math.ceil(limit))
    wanted.push([RESOURCES[name], soft, name === 'cpuSeconds' ? soft + 1 : soft])
  }
  writer.u32(wanted.length)
  for (const [resource, soft, hard] of wanted) {
    writer.u32(resource)
    writer.u64(BigInt(soft))
    writer.u64(BigInt(hard))
  }
}

function writeConfinement(writer: FrameWriter, { filesystem, network, scoped, filter }: Confinement): void {
  writer.u64(filesystem?.handled ?? 0n)
  writer.u64(network ?? 0n)
  writer.u64(scoped ?? 0n)
  const rules = filesystem?.rules ?? []
  writer.u32(rules.length)
  for (const { path, rights, optional } of rules) {
    writer.u64(rights)
    writer.u32(optional ? RULE_OPTIONAL : 0)
    writer.string(path)
  }
  writer.u32(filter?.length ?? 0)
  if (filter !== undefined) writer.bytes(filter)
}
