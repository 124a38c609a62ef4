import { type PlannedPackage, packageDiffJson } from '../app/index.ts'

/** A plan as `--json` prints it. */
export function planJson(planned: readonly PlannedPackage[]): readonly Record<string, unknown>[] {
  return planned.map(
    ({
      newPermissions,
      callPermissions,
      newCallPermissions,
      declaresPermissions,
      runsTests,
      needsConsent,
      enforcement,
      requiredBy,
      inputSchema: _notShown,
      diff,
      signature,
      ...rest
    }) => ({
      ...rest,
      signature: signature?.outcome ?? null,
      signer: signature?.key ?? null,
      declares_permissions: declaresPermissions,
      new_permissions: newPermissions,
      runs_tests: runsTests,
      needs_consent: needsConsent,
      enforcement: enforcement ?? null,
      required_by: requiredBy ?? null,
      call_permissions: callPermissions,
      new_call_permissions: newCallPermissions,
      ...(diff === undefined ? {} : { diff: packageDiffJson(diff) }),
    }),
  )
}
