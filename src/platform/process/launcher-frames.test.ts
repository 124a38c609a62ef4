import { buildLauncher, describeHostileFrames } from './launcher/launcher.contract.ts'

describeHostileFrames('the launcher and frames it did not expect', buildLauncher(), 150)
