import type { CalledPermission, CalledTool, PackageDiff } from '../formats/index.ts'
import type { Enforcement, Grant, GrantManner, JsonSchema, Manifest, Pin, Signature } from '../model/index.ts'

/** What the room asks of whoever uses it. */
export interface Ports {
  /** The plan is shown and a person says yes, or it was said in advance: how; undefined is a no. */
  readonly consent: (plan: Plan) => Promise<GrantManner | undefined>
  /** What this user accepted so far. What a package folder says about that is not asked: it may come from anyone. */
  readonly grants: {
    all(): readonly Grant[]
    add(grants: readonly Grant[]): Promise<void>
  }
  /** What this host can hold a package to; absent where nobody can tell. */
  readonly enforcement?: (manifest: Manifest) => Promise<Enforcement>
  /** A package that no registry vouches for is about to be fetched. */
  readonly trustSource: (name: string, from: string) => Promise<boolean>
  /** Something worth knowing that stops nothing. */
  readonly warn: (message: string) => void
  /** An empty state: nothing more is told of this subject. */
  readonly progress: (subject: string, state: string) => void
  /**
   * Runs the tests a package brings, in a copy of it; the names of those that failed. `beside` are the folders of what
   * is installed with it, whose tools it may call.
   */
  readonly runTests: (
    folder: string,
    manifest: Manifest,
    beside: readonly string[],
  ) => Promise<readonly string[]>
  /** What changes for a caller with what is about to be installed; absent or undefined: nobody asked. */
  readonly compare?: (folder: string, planned: PlannedPackage) => Promise<PackageDiff | undefined>
  /** Runs a hook of a package in its place; undefined when it went well, else what happened. */
  readonly runHook: (
    folder: string,
    hook: string,
    whose: { readonly manifest: Manifest; readonly pin: Pin },
  ) => Promise<string | undefined>
  /**
   * The version a program on this machine reports; null when it has none to tell or is not `asked`; undefined when
   * it is not there.
   */
  readonly programVersion: (name: string, asked: boolean) => string | null | undefined
  /** The tools that are served here now, by name. Asked for only when a chain is installed. */
  readonly servedTools: () => Promise<ReadonlyMap<string, CalledTool>>
  readonly now: () => Date
}

/** What is about to happen, for a person to judge. */
export interface Plan {
  readonly packages: readonly PlannedPackage[]
  /** `try`: their tests are run, and nothing is installed. `grant`: what is there is accepted. */
  readonly purpose?: 'install' | 'try' | 'grant'
}

export interface PlannedPackage {
  readonly name: string
  readonly version: string
  readonly action: 'install' | 'reinstall' | 'keep'
  /** Where it comes from, without credentials. */
  readonly from: string
  /** Who signed it; absent for a folder that is only linked. */
  readonly signature?: Signature
  readonly folder: string
  /** What it may do; where its manifest does not have the key, what it may do then. */
  readonly permissions: readonly string[]
  /** Its manifest has the key. */
  readonly declaresPermissions: boolean
  /** Those nobody has accepted for this package yet. */
  readonly newPermissions: readonly string[]
  readonly hooks: readonly string[]
  /** It brings tests, and they run before it is installed. */
  readonly runsTests: boolean
  /** Absent where nobody can tell. */
  readonly enforcement?: Enforcement
  /** A person has to say yes. */
  readonly needsConsent: boolean
  readonly requiredBy?: string
  /** What its tool is called with; absent where it does not say. */
  readonly inputSchema?: JsonSchema
  /** Beside the version that serves now. */
  readonly diff?: PackageDiff
  /** The tools its chain calls, and what they may do; empty for everything that is no chain. */
  readonly calls: readonly string[]
  readonly callPermissions: readonly CalledPermission[]
  /** Those that no installed version of it has used before. */
  readonly newCallPermissions: readonly string[]
}

/** Of a plan for something whose chain, if it has one, is not the question. */
export const CALLS_NOTHING: Pick<PlannedPackage, 'calls' | 'callPermissions' | 'newCallPermissions'> = {
  calls: [],
  callPermissions: [],
  newCallPermissions: [],
}
