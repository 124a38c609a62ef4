import { type PlannedPackage, packageDiffJson } from '../app/index.ts'

/** A plan as `--json` prints it. */
export function planJson(planned: readonly PlannedPackage[]): readonly Record<string, unknown>[] {
  return planned.map(({ newPermissions, requiredBy, diff, ...rest }) => ({
    ...rest,
    new_permissions: newPermissions,
    required_by: requiredBy ?? null,
    ...(diff === undefined ? {} : { diff: packageDiffJson(diff) }),
  }))
}
