import { describe } from 'vitest'
import { buildSanitizedLauncher, describeHostileFrames, hasSanitizers } from './launcher/launcher.contract.ts'
import { createLauncherStarter } from './launcher/starter.ts'
import { describeStarter } from './starter.contract.ts'

const path = buildSanitizedLauncher()

describe.skipIf(!hasSanitizers)('under AddressSanitizer and UndefinedBehaviorSanitizer', () => {
  describeStarter('the launcher starter', () => createLauncherStarter({ path, onProblem: complain }))
  describeHostileFrames('frames the launcher did not expect', path, 40)
})

function complain(message: string): void {
  throw new Error(message)
}
