/** Something a package may do because its manifest says so and a person accepted it. */
export type Permission =
  /** `path` null means all files, minus a protected set. Writing implies reading. */
  | {
      readonly kind: 'filesystem'
      readonly access: 'read' | 'write'
      readonly path: PermissionPath | null
    }
  /** `host` null means any host. `*.example.com` stands for every name below example.com. */
  | { readonly kind: 'network'; readonly host: string | null; readonly port: number | null }
  | { readonly kind: 'env' | 'secret' | 'exec'; readonly name: string }
  | { readonly kind: 'socket'; readonly path: PermissionPath }

export type PermissionPath =
  /** `below` is relative to the base, without `.` or `..`; empty for the base itself. */
  | { readonly base: 'workspace' | 'home' | 'root' | 'state'; readonly below: string }
  /** The file that an argument of the call names. */
  | { readonly base: 'argument'; readonly name: string }
