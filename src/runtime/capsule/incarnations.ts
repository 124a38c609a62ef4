import type { FindSecret } from '../../formats/index.ts'
import { type Capsule, hiderOf, type OfferedTool } from '../../model/index.ts'
import { type ProcessStarter, type TreeWatcher, watchTrees } from '../../platform/index.ts'
import type { Confine, Hold } from '../confine.ts'
import { environmentOf, secretsFor } from '../environment.ts'
import { durationWords } from '../measure-words.ts'
import { watchHealth } from './health.ts'
import type { LifeEvent } from './lifecycle.ts'
import type { Narrator } from './narrator.ts'
import { openSession, type Session } from './session.ts'

/** The processes of a capsule, one after the other: each is started, given what is its own, and watched over. */
export interface Incarnations {
  begin(incarnation: number): void
  /** Pings the newest one, if its capsule wants that. Returns a function that stops it. */
  watchOver(incarnation: number): () => void
  /** The newest; undefined before the first. */
  readonly session: Session | undefined
  /** What holds the newest one back. */
  readonly hold: Hold | undefined
  /** What would hold the next one back. Asked anew each time: what a person grants may change meanwhile. */
  holdNow(): Hold | undefined
  /** What an MCP server offered last. */
  readonly tools: readonly OfferedTool[]
  /** Handed to the newest one. */
  readonly secrets: readonly string[]
  /** Without the secrets: what was handed to a process is not repeated, whatever it says. */
  hide(text: string): string
  /** No change of its sources counts any more. */
  close(): void
}

export interface IncarnationDeps {
  readonly starter: ProcessStarter
  readonly environment: () => Readonly<Record<string, string>>
  readonly confine?: Confine
  readonly secret: FindSecret
  readonly outputBytes: () => number
  readonly onTools: (capsule: Capsule, tools: readonly OfferedTool[]) => void
  /** Orla's own. */
  readonly version: string
  /** What must be over before its first process starts: the end of one that was the same. */
  readonly after?: Promise<void>
}

/** Hears what becomes of them. `words` follow the name. */
export interface IncarnationListener extends Pick<Narrator, 'hear' | 'say'> {
  readonly dispatch: (event: LifeEvent, words?: string) => void
}

/** Between asking a process to end and killing it. */
export const GRACE_MS = 2_000

export function createIncarnations(
  capsule: Capsule,
  deps: IncarnationDeps,
  { dispatch, hear, say }: IncarnationListener,
): Incarnations {
  let session: Session | undefined
  let hold: Hold | undefined
  let sources: TreeWatcher | undefined
  let tools: readonly OfferedTool[] = []
  let handed: readonly string[] = []
  const hide = (text: string) => hiderOf(handed)(text)

  function begin(incarnation: number): void {
    watchSources()
    hold = holdNow()
    session = openSession({
      capsule,
      maxBytes: deps.outputBytes(),
      version: deps.version,
      limits: hold?.limits ?? {},
      open,
      listener: {
        onStarted: (pid) => say('info', `started, pid ${pid}`),
        onNotStarted: (words) => dispatch({ kind: 'not-started', incarnation }, hide(words)),
        onReady(offered) {
          if (offered !== undefined) learn(offered)
          dispatch({ kind: 'ready', incarnation })
        },
        onFailed: (words) => dispatch({ kind: 'failed', incarnation }, hide(words)),
        onGone: (words) => dispatch({ kind: 'gone', incarnation }, hide(words)),
        onEnded: () => dispatch({ kind: 'ended', incarnation }, 'ended'),
        onTools: learn,
        onSaid: hear,
        onBreach: (words) => say('warn', `protocol error: it ${words}`),
        onNotice: (words) => say('warn', `it ${words}`),
      },
    })
  }

  async function open() {
    await deps.after
    const { file, args, cwd, script } = capsule.command
    const secrets = secretsFor(capsule.command, deps.secret)
    handed = Object.values(secrets)
    const env = environmentOf(capsule.command, deps.environment(), secrets)
    const asks = script === file ? {} : { script }
    return (hold?.starter ?? deps.starter).open({ file, args, cwd, env, graceMs: GRACE_MS, ...asks })
  }

  function holdNow(): Hold | undefined {
    const { name, origin } = capsule
    return origin && deps.confine?.({ name, origin, stays: true })
  }

  function learn(offered: readonly OfferedTool[]): void {
    tools = offered
    deps.onTools(capsule, offered)
  }

  /** What is there when a process starts is what it runs. */
  function watchSources(): void {
    const { hotLoad } = capsule
    sources?.look()
    if (hotLoad === undefined) return
    sources ??= watchTrees(hotLoad.paths, {
      debounceMs: hotLoad.debounceMs,
      onChange: (file) => dispatch({ kind: 'changed' }, `reloading because ${file} changed`),
      onError: (error) => say('warn', error.message),
    })
  }

  return {
    begin,
    watchOver(incarnation) {
      const { health } = capsule
      if (health === undefined || session?.channel === undefined) return () => {}
      const words = `did not answer a ping within ${durationWords(health.timeoutMs)}`
      return watchHealth(session.channel, health, () => dispatch({ kind: 'failed', incarnation }, words))
    },
    get session() {
      return session
    },
    get hold() {
      return hold
    },
    holdNow,
    get tools() {
      return tools
    },
    get secrets() {
      return handed
    },
    hide,
    close: () => sources?.close(),
  }
}
