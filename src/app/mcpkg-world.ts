import { join } from 'node:path'
import type { Where } from '../catalog/index.ts'
import { lookAtHost } from '../platform/index.ts'
import { schemaJudges } from '../runtime/index.ts'
import type { Project } from './config.ts'
import { harmlessEnvironment, type World } from './world.ts'

/** What .mcpkg packages are judged by: this machine and its programs, and what a JSON Schema is. */
export function mcpkgWorld(world: World, { home, root }: Project): NonNullable<Where['mcpkg']> {
  const host = lookAtHost({
    env: harmlessEnvironment(world),
    cwd: root,
    cacheFile: join(home, 'cache', 'programs.json'),
  })
  return { host, schemas: schemaJudges }
}
