import { join } from 'node:path'
import { parseShebang } from '../../formats/index.ts'
import { lookAtProgram } from '../../platform/index.ts'
import { createStarter } from '../starter.ts'
import { harmlessEnvironment, type World } from '../world.ts'

const HOOK_MS = 5 * 60_000
const HOOK_OUTPUT_BYTES = 1_048_576

/** Runs a hook in the package's folder. undefined when it went well, else what happened. */
export async function runHook(
  world: World,
  folder: string,
  hook: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<string | undefined> {
  const file = join(folder, hook)
  const program = lookAtProgram(file)
  const shebang = program.kind === 'file' ? parseShebang(program.firstLine) : null
  const starter = createStarter(world)
  try {
    const end = await starter.run({
      file: shebang?.interpreter ?? file,
      args: shebang ? [...shebang.args, file] : [],
      cwd: folder,
      env: harmlessEnvironment(world),
      stdin: '',
      timeoutMs: HOOK_MS,
      graceMs: 2_000,
      outputBytes: HOOK_OUTPUT_BYTES,
      signal,
    })
    if (end.cause === 'exit' && end.exitCode === 0) return undefined
    const said = end.stderr.toString('utf8').trim().split('\n').slice(-5).join('\n')
    const how = end.cause === 'exit' ? `ended with ${end.exitCode ?? end.signal}` : `failed (${end.cause})`
    return `${hook} ${how}${said === '' ? '' : `:\n${said}`}`
  } finally {
    await starter.close()
  }
}
