import { newestVersion, satisfies } from '../formats/index.ts'
import type { Manifest, Receipt } from '../model/index.ts'
import { toolRequirements } from './dependencies.ts'
import { installedVersions } from './installed.ts'

/** The receipts of what these packages need and find installed, and of what those need in turn. */
export function neededReceipts(packages: readonly Manifest[], toolsDir: string): Receipt[] {
  const found = new Map<string, Receipt>()
  const visit = (manifest: Manifest) => {
    for (const need of toolRequirements(manifest)) {
      const receipts = installedVersions(toolsDir, need.name).flatMap(({ receipt }) =>
        receipt !== undefined && receipt.hook !== 'pending' && satisfies(need, receipt.version)
          ? [receipt]
          : [],
      )
      const best = newestVersion(receipts.map(({ version }) => version))
      const receipt = receipts.find(({ version }) => version === best)
      const key = `${need.name} ${best}`
      if (receipt === undefined || found.has(key)) continue
      found.set(key, receipt)
      visit(receipt.manifest)
    }
  }
  for (const one of packages) visit(one)
  return [...found.values()]
}
