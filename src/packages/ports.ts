import type { Manifest } from '../model/index.ts'

/** What the room asks of whoever uses it. */
export interface Ports {
  /** The plan is shown and a person says yes, or it was said in advance. */
  readonly consent: (plan: Plan) => Promise<boolean>
  /** A package that no registry vouches for is about to be fetched. */
  readonly trustSource: (name: string, from: string) => Promise<boolean>
  /** Something worth knowing that stops nothing. */
  readonly warn: (message: string) => void
  readonly progress: (subject: string, state: string) => void
  /** Runs the tests a package brings, in a copy of it; the names of those that failed. */
  readonly runTests: (folder: string, manifest: Manifest) => Promise<readonly string[]>
  /** Runs a hook of a package in its place; undefined when it went well, else what happened. */
  readonly runHook: (folder: string, hook: string, manifest: Manifest) => Promise<string | undefined>
  /**
   * The version a program on this machine reports; null when it has none to tell or is not `asked`; undefined when
   * it is not there.
   */
  readonly programVersion: (name: string, asked: boolean) => string | null | undefined
  readonly now: () => Date
}

/** What is about to happen, for a person to judge. */
export interface Plan {
  readonly packages: readonly PlannedPackage[]
}

export interface PlannedPackage {
  readonly name: string
  readonly version: string
  readonly action: 'install' | 'reinstall' | 'keep'
  /** Where it comes from, without credentials. */
  readonly from: string
  readonly folder: string
  readonly permissions: readonly string[]
  /** Those nobody has accepted for this package yet. */
  readonly newPermissions: readonly string[]
  readonly hooks: readonly string[]
  readonly requiredBy?: string
}
