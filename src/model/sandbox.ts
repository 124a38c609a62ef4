/** What a program may do, resolved for one place: real folders instead of words. */
export interface SandboxProfile {
  /** The files of the package itself, for reading. */
  readonly package: string
  /** They may be changed as well: by a hook, or in a copy. */
  readonly packageIsWritable?: boolean
  /** The project, or the working directory. Seen only where `paths` say so. */
  readonly workspace: string
  /** A private folder that stays between calls; the program has it as its HOME. */
  readonly state: string
  /** Of the person. */
  readonly home: string
  /** Absolute. What lies deeper wins, so a protected part is an entry below a granted one. */
  readonly paths: readonly SandboxPath[]
  /** What no wide grant and no argument of a call opens: secrets are never seen, the others never changed. */
  readonly protected: { readonly secrets: readonly string[]; readonly frozen: readonly string[] }
  /** Arguments of a call whose files are bound for that call alone. */
  readonly argumentFiles: readonly { readonly name: string; readonly access: 'read' | 'write' }[]
  readonly network: SandboxNetwork
  /** Unix sockets of the host. */
  readonly sockets: readonly string[]
  /** Programs that are to be found although they lie outside the system folders. */
  readonly programs: readonly string[]
  /** Real folders of the person's PATH: what runs a stranger's program lies there. Absent: wherever it lies. */
  readonly programFolders?: readonly string[]
  readonly limits: SandboxLimits
}

export interface SandboxPath {
  readonly path: string
  readonly access: 'hidden' | 'read' | 'write'
  /** Granted below the workspace, where another tool could plant a link: none is followed. */
  readonly pinned?: boolean
  /** Made empty when it is not there. */
  readonly create?: boolean
  /** A folder is not meant. */
  readonly isFile?: boolean
}

export type SandboxNetwork =
  | { readonly kind: 'none' | 'any' }
  | { readonly kind: 'hosts'; readonly hosts: readonly { readonly host: string; readonly port: number }[] }

/** What is left out is not limited. */
export interface SandboxLimits {
  readonly cpuMs?: number
  readonly memoryBytes?: number
  readonly processes?: number
  readonly fileBytes?: number
}

export type SandboxBackend = 'bwrap' | 'landlock' | 'seatbelt' | 'none'

/** How one start was held: by which words, and what the host did of it. */
export interface Confinement extends Enforcement {
  /** Permission words in force; null for the profile of packages that name none. */
  readonly permissions: readonly string[] | null
}

/** What holds a program back, for the log and for the person who is asked. */
export interface Enforcement {
  readonly backend: SandboxBackend
  readonly enforced: readonly string[]
  readonly unenforced: readonly string[]
}
