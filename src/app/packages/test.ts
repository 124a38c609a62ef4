import { resolve } from 'node:path'
import { createDiscovery } from '../../catalog/index.ts'
import { OrlaError } from '../../model/index.ts'
import { checkPackage } from '../../packages/index.ts'
import { isFolder } from '../../platform/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'
import { type TestOutcome, testPackage } from './package-tests.ts'

/** Runs the tests of a package folder, or of an installed package by its name. */
export async function runTests(
  world: World,
  config: ConfigRequest,
  what: string,
): Promise<{ name: string; outcomes: TestOutcome[] }> {
  const loaded = await loadConfig(world, config)
  const path = resolve(world.cwd, what)
  if (isFolder(path)) {
    const { manifest, problems } = await checkPackage(path)
    if (manifest === undefined) {
      throw new OrlaError(
        'E_PACKAGE',
        `${path} is not a package:\n${problems.map(({ message }) => message).join('\n')}`,
        {
          hint: '`orla validate` tells where',
        },
      )
    }
    return { name: manifest.name, outcomes: await testPackage(world, loaded, path, manifest) }
  }
  const { packages } = await createDiscovery().scan(whereOf(loaded))
  const found = packages.find(({ manifest, state }) => manifest.name === what && state === 'in use')
  if (found === undefined)
    throw new OrlaError('E_NOT_FOUND', `there is neither a folder nor an installed package \`${what}\``)
  return { name: what, outcomes: await testPackage(world, loaded, found.folder, found.manifest) }
}
