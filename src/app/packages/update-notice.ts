import { join } from 'node:path'
import { findOutdated, type Outdated, readLocks } from '../../packages/index.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from '../../platform/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import type { World } from '../world.ts'
import { openPackages } from './context.ts'
import { placesOf } from './places.ts'

const DAY_MS = 24 * 3_600_000
/** Nobody waits for news longer than this. */
const PATIENCE_MS = 2_000

/** Newer versions of what is installed, at most once a day; nothing when it was asked for silence. */
export async function updateNotice(world: World, request: ConfigRequest): Promise<readonly Outdated[]> {
  if (world.env.CI) return []
  const loaded = await loadConfig(world, request)
  if (!loaded.config.updateNotice) return []
  const places = placesOf(loaded)
  const { packages } = readLocks(places)
  if (packages.length === 0 || !isDue(places.home)) return []
  const quiet = {
    consent: async () => undefined,
    trust: refuse,
    trustSource: refuse,
    warn() {},
    progress() {},
  }
  const { git } = await openPackages(world, request, { offline: false, refresh: false }, quiet)
  const patience = AbortSignal.timeout(PATIENCE_MS)
  return (await findOutdated(packages, git, () => undefined, patience)).outdated
}

async function refuse(): Promise<boolean> {
  return false
}

/** Marks the day before asking, so that a slow network is met once a day only. */
function isDue(home: string): boolean {
  const file = join(home, 'update-notice.json')
  const now = Date.now()
  if (now - Number(readTextIfThere(file) ?? 0) < DAY_MS) return false
  try {
    makeFolder(home)
    writeFileAtomic(file, String(now))
    return true
  } catch {
    return false // a read-only home: no way to know what was said already
  }
}
