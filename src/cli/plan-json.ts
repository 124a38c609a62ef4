import { type PlannedPackage, packageDiffJson } from '../app/index.ts'

/** A plan as `--json` prints it. */
export function planJson(planned: readonly PlannedPackage[]): readonly Record<string, unknown>[] {
  return planned.map(
    ({ newPermissions, requiredBy, diff, callPermissions, newCallPermissions, ...rest }) => ({
      ...rest,
      new_permissions: newPermissions,
      required_by: requiredBy ?? null,
      call_permissions: callPermissions,
      new_call_permissions: newCallPermissions,
      ...(diff === undefined ? {} : { diff: packageDiffJson(diff) }),
    }),
  )
}
