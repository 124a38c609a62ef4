import { compareFaces, type PackageDiff, type PackageFace } from '../../formats/index.ts'
import { OrlaError } from '../../model/index.ts'
import type { ConfigRequest } from '../config.ts'
import { openOneOff } from '../one-off.ts'
import { type Conversation, type NetworkOptions, openPackages } from '../packages/context.ts'
import { interruptible } from '../packages/install.ts'
import type { TestSubject } from '../testing/subject.ts'
import type { World } from '../world.ts'
import { faceOf } from './face.ts'
import { fetchSide, openSide, type Side, type Surroundings } from './open-side.ts'
import { runBoth } from './run-both.ts'

export interface DiffRequest extends NetworkOptions {
  /** One or two of: NAME, NAME@vVERSION, a folder, an archive, a URL. */
  readonly words: readonly string[]
  readonly repeat: number
  /** Slower is worse, too. */
  readonly strict: boolean
  readonly test: boolean
}

/** Two versions side by side, by their files and by the tests of both. Nothing is installed. */
export async function diffPackages(
  world: World,
  config: ConfigRequest,
  request: DiffRequest,
  conversation: Conversation,
): Promise<PackageDiff> {
  const context = await openPackages(world, config, request, conversation)
  const runtime = openOneOff(world, context.loaded, { trial: 'stranger' })
  const opened: Side[] = []
  try {
    return await interruptible(world, async (signal) => {
      const around = { context, runtime, offline: request.offline, signal }
      try {
        const [before, now] = await openBoth(request.words, around, opened)
        const diff = await compare(before, now, request, around)
        if (!signal.aborted) return diff
      } catch (error) {
        if (!signal.aborted) throw error
      }
      throw new OrlaError('E_INTERRUPTED', 'interrupted; nothing was changed')
    })
  } finally {
    await runtime.close()
    for (const side of opened) side.discard()
  }
}

/** One alone is compared with what serves: a name with the newest version there is, anything else as it is. */
async function openBoth(
  words: readonly string[],
  around: Surroundings,
  opened: Side[],
): Promise<readonly [before: Side, now: Side]> {
  const [first = '', second] = words
  const keep = async (opening: Promise<Side>) => {
    const side = await opening
    opened.push(side)
    return side
  }
  if (second !== undefined) return [await keep(openSide(first, around)), await keep(openSide(second, around))]
  const one = await keep(openSide(first, around))
  const { name } = await faceOf(one.folder, one.from, around.context.loaded)
  const serving = first === name ? one : await keep(openSide(name, around))
  if (serving.planned !== undefined) {
    throw new OrlaError('E_NOT_FOUND', `${name} is not installed, so there is nothing to compare it with`, {
      hint: `name both versions: orla diff ${name}@v0.1.0 ${name}@v0.2.0`,
    })
  }
  return [serving, first === name ? await keep(fetchSide(`${name}@latest`, around)) : one]
}

async function compare(
  before: Side,
  now: Side,
  { test, repeat, strict }: DiffRequest,
  around: Surroundings,
): Promise<PackageDiff> {
  const { loaded } = around.context
  const faces = await Promise.all([before, now].map((side) => faceOf(side.folder, side.from, loaded)))
  const [old, next] = faces as [PackageFace, PackageFace] // one for each side
  const written = compareFaces(old, next)
  const obstacle = await whyNotRun(before, now, test, old.version === next.version, around)
  if (obstacle !== undefined) return { ...written, tests: null, notRun: obstacle }
  const { context, runtime, signal } = around
  context.conversation.progress(next.name, 'testing')
  const [was, is] = [await before.subject(), await now.subject()]
  const local = before.planned !== undefined || now.planned !== undefined
  const tests = await runBoth(was, is, context.loaded, runtime, { repeat, strict, local, signal })
  return { ...compareFaces(...(await withOffered(old, was, next, is))), tests }
}

/** What a stranger's package may do is accepted before anything of it runs, as for an install. */
async function whyNotRun(
  before: Side,
  now: Side,
  isWanted: boolean,
  isSameVersion: boolean,
  { context, signal }: Surroundings,
): Promise<string | undefined> {
  if (!isWanted) return 'nobody asked for them'
  if (isSameVersion && now.planned !== undefined) return 'it is the same version'
  const packages = [before, now].flatMap(({ planned }) => planned ?? [])
  if (packages.length === 0) return undefined
  const isAccepted = await context.installDeps(signal).ports.consent({ packages, purpose: 'try' })
  return isAccepted ? undefined : 'what it may do was not accepted; --yes accepts it'
}

/** What MCP servers offer, when both have told it; otherwise there is nothing to compare it with. */
async function withOffered(
  old: PackageFace,
  was: TestSubject,
  next: PackageFace,
  is: TestSubject,
): Promise<[PackageFace, PackageFace]> {
  if (was.tools.length === 0 || is.tools.length === 0) return [old, next]
  return [
    { ...old, tools: was.tools },
    { ...next, tools: is.tools },
  ]
}
