import { type PlannedPackage, packageDiffJson } from '../app/index.ts'

/** A plan as `--json` prints it. */
export function planJson(planned: readonly PlannedPackage[]): readonly Record<string, unknown>[] {
  return planned.map(
    ({
      newPermissions,
      declaresPermissions,
      runsTests,
      needsConsent,
      enforcement,
      requiredBy,
      diff,
      ...rest
    }) => ({
      ...rest,
      declares_permissions: declaresPermissions,
      new_permissions: newPermissions,
      runs_tests: runsTests,
      needs_consent: needsConsent,
      enforcement: enforcement ?? null,
      required_by: requiredBy ?? null,
      ...(diff === undefined ? {} : { diff: packageDiffJson(diff) }),
    }),
  )
}
