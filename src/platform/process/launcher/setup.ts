/** What only the launcher can do to a program before it runs. */
export interface ProcessSetup {
  readonly umask?: number
  readonly limits?: ProcessLimits
  readonly confinement?: Confinement
  /** `cgroup.procs` of a group that it and all it starts are counted in. */
  readonly group?: string
}

/** Where the host allows less, that stays. A program that asks for more gets an error from the system, or a signal. */
export interface ProcessLimits {
  /** Of processor time: SIGXCPU, and SIGKILL a second later. */
  readonly cpuSeconds?: number
  /** Memory a process may take for its data. Not its address space: Node reserves more of that than it ever uses. */
  readonly dataBytes?: number
  readonly openFiles?: number
  readonly fileBytes?: number
  /** Of the same user, all over the host. Does not bind root. */
  readonly processes?: number
}

/** Enforced by the kernel on the program and all it starts. It can gain no privileges by executing a file. */
export interface Confinement {
  /** Landlock: of these rights only those are left that a rule gives. */
  readonly filesystem?: { readonly handled: bigint; readonly rules: readonly PathRule[] }
  /** Landlock: rights to use TCP ports that are all taken away. */
  readonly network?: bigint
  /** Landlock: what may not reach beyond the program, as signals and abstract sockets. */
  readonly scoped?: bigint
  /** A compiled seccomp filter, eight bytes an instruction. */
  readonly filter?: Uint8Array
}

export interface PathRule {
  readonly path: string
  /** On a file, the rights that only folders have are left out. */
  readonly rights: bigint
  /** When nothing is there the rule is left out. */
  readonly optional?: boolean
}
