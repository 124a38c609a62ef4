import { join } from 'node:path'
import { handsOf, packageFacts, parseShebang } from '../../formats/index.ts'
import type { Manifest, Origin, Pin } from '../../model/index.ts'
import { lookAtProgram, type ProcessEnd, realPath } from '../../platform/index.ts'
import type { LoadedConfig } from '../config.ts'
import { createConfinement } from '../confinement.ts'
import { openMeans } from '../sandbox/means.ts'
import { stateFolder } from '../sandbox/state-folder.ts'
import { createStarters } from '../starter.ts'
import { harmlessEnvironment, type World } from '../world.ts'

const HOOK_MS = 5 * 60_000
const HOOK_OUTPUT_BYTES = 1_048_576

interface Hook {
  readonly folder: string
  /** Relative to the folder. */
  readonly path: string
  readonly manifest: Manifest
  readonly pin: Pin
}

/**
 * Runs a hook in the package's folder, which it may change, held to the permissions of its package. undefined when it
 * went well, else what happened.
 */
export async function runHook(
  world: World,
  loaded: LoadedConfig,
  { folder, path, manifest, pin }: Hook,
  signal: AbortSignal = new AbortController().signal,
): Promise<string | undefined> {
  const file = join(folder, path)
  const program = lookAtProgram(file)
  const shebang = program.kind === 'file' ? parseShebang(program.firstLine) : null
  const starters = createStarters(world)
  try {
    const means = openMeans(starters, loaded.home)
    const { confine } = createConfinement({
      world,
      loaded: () => loaded,
      means,
      acceptedFor: () => undefined,
      trial: 'accepted',
      state: (subject) => stateFolder(realPath(loaded.home), subject, handsOf(pin)),
    })
    const facts = packageFacts(manifest, undefined)
    const origin: Origin = { kind: 'package', file, folder, scope: 'project', package: facts }
    const hold = confine({ name: manifest.name, origin })
    const denied = await hold?.denied()
    if (denied !== undefined) return `${path} ${denied}`
    const end = await (hold?.starter ?? starters.starter).run({
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
    return failureOf(path, end)
  } finally {
    await starters.starter.close()
  }
}

function failureOf(path: string, end: ProcessEnd): string | undefined {
  if (end.cause === 'exit' && end.exitCode === 0) return undefined
  const said = end.stderr.toString('utf8').trim().split('\n').slice(-5).join('\n')
  const how = end.cause === 'exit' ? `ended with ${end.exitCode ?? end.signal}` : `failed (${end.cause})`
  const why = said === '' ? (end.error?.message ?? '') : said
  return `${path} ${how}${why === '' ? '' : `:\n${why}`}`
}
