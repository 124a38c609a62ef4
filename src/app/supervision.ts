import type { Capsule, Catalog, Config, Log } from '../model/index.ts'
import type { ProcessStarter } from '../platform/index.ts'
import { type Capsules, type Confine, createCapsules } from '../runtime/index.ts'
import type { OfferedTools } from './offered-tools.ts'

interface Deps {
  readonly log: Log
  readonly starter: ProcessStarter
  readonly confine: Confine
  readonly environment: () => Readonly<Record<string, string>>
  readonly config: () => Config
  readonly offered: OfferedTools
  /** Orla's own. */
  readonly version: string
  /** Catalogs older than the newest that connections still hold. */
  readonly held: () => readonly Catalog[]
  /** An MCP server in a capsule offers other tools than before. */
  readonly onOffer: () => void
}

export interface Supervision {
  readonly capsules: Capsules
  /** The newest catalog has these. */
  refreshed(newest: readonly Capsule[]): void
  /** A connection let go of a catalog: what only it held may end. */
  holdersChanged(): void
}

/** Which capsules live: those of the newest catalog, and those a connection still knows from an older one. */
export function superviseCapsules(deps: Deps): Supervision {
  const { log, starter, confine, environment, config, offered, version, held, onOffer } = deps
  const asked = new Set<string>()
  let newest: readonly Capsule[] = []
  const capsules = createCapsules({
    starter,
    confine,
    environment,
    log,
    restart: () => config().capsules.restart,
    outputBytes: () => config().limits.outputBytes,
    version,
    onTools: (capsule, tools) => {
      if (offered.learn(capsule, tools)) onOffer()
    },
  })

  /** One that nobody has asked yet is started, once, so that its tools can be listed. */
  function ask(capsule: Capsule): void {
    if (capsule.handshake !== 'mcp' || asked.has(capsule.identity)) return
    asked.add(capsule.identity)
    if (offered.of(capsule) !== undefined) return
    capsules.offered(capsule).catch((error: unknown) =>
      log.warn('cannot list the tools of an MCP server', {
        capsule: capsule.name,
        error: (error as Error).message,
        hint: `\`orla capsule logs ${capsule.name}\``,
      }),
    )
  }

  function hold(): void {
    // Commands mean the newest of a name, which therefore comes last.
    capsules.hold([...held().flatMap(capsulesOf), ...newest])
  }

  return {
    capsules,
    refreshed(now) {
      newest = now
      hold()
      for (const capsule of newest) ask(capsule)
    },
    holdersChanged: hold,
  }
}

function capsulesOf({ tools }: Catalog): Capsule[] {
  const found = new Set<Capsule>()
  for (const { run } of tools.values()) if (run.kind === 'capsule') found.add(run.capsule)
  return [...found]
}
