import type { Capsule, Catalog, Config, Log } from '../model/index.ts'
import type { ProcessStarter } from '../platform/index.ts'
import { type Capsules, type Confine, createCapsules } from '../runtime/index.ts'
import type { OfferedTools } from './offered-tools.ts'

interface Deps {
  readonly log: Log
  readonly starter: ProcessStarter
  readonly confine: Confine
  readonly environment: () => Readonly<Record<string, string>>
  /** The value of a secret by its name. */
  readonly secret: (name: string) => string | undefined
  readonly config: () => Config
  readonly offered: OfferedTools
  /** Orla's own. */
  readonly version: string
  /** Catalogs older than the newest that connections still hold. */
  readonly held: () => readonly Catalog[]
  /** An MCP server in a capsule offers other tools than before. */
  readonly onOffer: () => void
  /** What a person accepted for it, in words; undefined: it may not run. */
  readonly accepted: (capsule: Capsule) => readonly string[] | undefined
}

export interface Supervision {
  readonly capsules: Capsules
  /** The newest catalog has these. */
  refreshed(newest: readonly Capsule[]): void
  /** A connection let go of a catalog: what only it held may end. */
  holdersChanged(): void
  /** Something else is accepted: what may not run ends, what may do other things than before starts anew. */
  grantsChanged(): void
}

/** Which capsules live: those of the newest catalog, and those a connection still knows from an older one. */
export function superviseCapsules(deps: Deps): Supervision {
  const { log, starter, confine, environment, secret, config, offered, version, held, onOffer, accepted } =
    deps
  const asked = new Set<string>()
  const waiting = new Set<string>()
  let newest: readonly Capsule[] = []
  /** By identity: what those that are held may do. */
  let holding = new Map<string, readonly string[]>()
  const capsules = createCapsules({
    starter,
    confine,
    environment,
    secret,
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
    if (accepted(capsule) === undefined) {
      tellWaiting(capsule)
      return
    }
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

  /** Its tools are not known before it runs, so that no call could tell. */
  function tellWaiting({ name, version: own, identity }: Capsule): void {
    if (waiting.has(identity)) return
    waiting.add(identity)
    log.warn('an MCP server is not started: nobody has accepted what it asks for', {
      capsule: name,
      hint: `\`orla grant ${name}@v${own}\``,
    })
  }

  function hold(): void {
    // Commands mean the newest of a name, which therefore comes last.
    const all = [...held().flatMap(capsulesOf), ...newest]
    const allowed = all.flatMap((capsule) => {
      const words = accepted(capsule)
      return words === undefined ? [] : [{ capsule, words }]
    })
    holding = new Map(allowed.map(({ capsule, words }) => [capsule.identity, words]))
    capsules.hold(allowed.map(({ capsule }) => capsule))
  }

  /** Those that run with something else than what is accepted now. */
  function regrant(): void {
    for (const capsule of new Set([...held().flatMap(capsulesOf), ...newest])) {
      const before = holding.get(capsule.identity)
      const now = accepted(capsule)
      if (before === undefined) continue
      if (now === undefined) capsules.regrant(capsule, 'nothing')
      else if (before.some((word) => !now.includes(word))) capsules.regrant(capsule, 'less')
      else if (now.length > before.length) capsules.regrant(capsule, 'more')
    }
  }

  return {
    capsules,
    refreshed(now) {
      newest = now
      hold()
      for (const capsule of newest) ask(capsule)
    },
    holdersChanged: hold,
    grantsChanged() {
      regrant()
      hold()
      for (const capsule of newest) ask(capsule)
    },
  }
}

function capsulesOf({ tools }: Catalog): Capsule[] {
  const found = new Set<Capsule>()
  for (const { run } of tools.values()) if (run.kind === 'capsule') found.add(run.capsule)
  return [...found]
}
