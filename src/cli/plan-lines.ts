import {
  describeUnenforced,
  describeWord,
  keyFingerprint,
  type Plan,
  type PlannedPackage,
} from '../app/index.ts'
import { nameTier, oneLine, type Signature } from '../model/index.ts'

/** The plan for a person who has to judge it. */
export function planLines({ packages, purpose = 'install' }: Plan): string[] {
  return packages.flatMap((one) => [
    `${purpose === 'install' ? one.action : purpose}  ${one.name} ${one.version}${one.requiredBy === undefined ? '' : `  (needed by ${one.requiredBy})`}`,
    `  from  ${oneLine(one.from)}`,
    ...signerLine(one.signature),
    ...(purpose === 'try' ? [] : [`  ${one.action === 'keep' ? 'in  ' : 'into'}  ${oneLine(one.folder)}`]),
    ...permissionLines(one),
    ...callLines(one),
    ...enforcementLines(one),
    ...(purpose === 'install' ? whatRuns(one) : []),
  ])
}

function whatRuns({ hooks, runsTests }: PlannedPackage): string[] {
  return [
    ...hooks.map((hook) => `  runs  ${oneLine(hook)} after the install`),
    ...(runsTests ? ['  runs  the tests it brings, before it is installed'] : []),
  ]
}

/** What is new in full; what was accepted before in one line. */
function permissionLines({ permissions, newPermissions, declaresPermissions }: PlannedPackage): string[] {
  if (permissions.length === 0) return ['  asks  for nothing outside its own folder']
  const known = permissions.filter((word) => !newPermissions.includes(word))
  return [
    ...newPermissions.map((word) => `  asks  ${oneLine(word)}  (it ${oneLine(describeWord(word))})`),
    ...(declaresPermissions ? [] : ['        it declares no permissions: files of this project, no network']),
    ...(known.length === 0 ? [] : [`  had   ${known.map(oneLine).join(', ')}  (accepted before)`]),
  ]
}

/** Of a chain: what it does through others. */
function callLines({ calls, callPermissions, newCallPermissions }: PlannedPackage): string[] {
  return [
    ...calls.map((tool) => `  calls ${oneLine(tool)}`),
    ...callPermissions.map(
      ({ word, tools }) =>
        `  may   ${oneLine(word)}, through ${tools.join(', ')}${newCallPermissions.includes(word) ? '' : '  (accepted before)'}`,
    ),
  ]
}

function enforcementLines({ enforcement }: Pick<PlannedPackage, 'enforcement'>): string[] {
  if (enforcement === undefined) return []
  const { backend, enforced, unenforced } = enforcement
  return [
    ...(enforced.length === 0 ? [] : [`  held  by ${nameTier(backend)}: ${enforced.join(', ')}`]),
    ...(unenforced.length === 0
      ? []
      : [`  NOT   enforced on this machine: ${describeUnenforced(unenforced)}`]),
  ]
}

function signerLine(signature: Signature | undefined): string[] {
  if (signature === undefined) return []
  const { key, outcome, isRotation } = signature
  if (key === undefined) return ['  by    nobody: it is not signed']
  const how =
    outcome === 'unknown-key' ? '  (not seen before)' : isRotation ? '  (follows the key before)' : ''
  return [`  by    ${keyFingerprint(key)}${how}`]
}
