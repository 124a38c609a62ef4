import { nearest, OrlaError, type Registry, type RegistryEntry } from '../model/index.ts'
import type { RegistryIndex } from './registry-index.ts'
import type { ResolveDeps } from './resolve.ts'
import type { Spec } from './spec.ts'

type Found = { readonly entry: RegistryEntry; readonly registry: Registry }

/** The entry of a name: in the registry that is preferred, else in the first that has it. */
export async function findEntry(
  spec: Extract<Spec, { kind: 'name' }>,
  deps: ResolveDeps,
  preferred: string | undefined,
): Promise<Found> {
  const asked =
    spec.registry === undefined
      ? deps.registries
      : deps.registries.filter(({ name }) => name === spec.registry)
  if (asked.length === 0) throw unknownRegistry(spec.registry, deps.registries)
  const own = spec.registry === undefined ? asked.filter(({ url }) => url === preferred) : []
  if (own.length > 0) {
    const { indexes } = await loadIndexes(own, deps)
    const [found] = entriesOf(spec.name, indexes)
    if (found !== undefined) return found
  }
  const { indexes, failures } = await loadIndexes(asked, deps)
  // The last one is the error when there is nothing else.
  const last = indexes.length === 0 ? failures.pop() : undefined
  const warnOfOthers = () => {
    for (const { error } of failures) deps.warn(error.message)
  }
  if (last !== undefined) {
    warnOfOthers()
    throw last.error
  }
  const found = entriesOf(spec.name, indexes)
  const [first, ...others] = found.length > 0 ? found : entriesOf(spec.name, await askAgain(indexes, deps))
  if (first === undefined) {
    // One of those that cannot be read may be the one that is meant.
    for (const problem of indexes.flatMap(({ problems }) => problems)) deps.warn(problem)
    throw unknownName(spec.name, indexes, failures)
  }
  warnOfOthers()
  if (others.length > 0) {
    const where = others.map(({ registry }) => registry.name).join(', ')
    deps.warn(`\`${spec.name}\` is also in ${where}; taking the one of ${first.registry.name}`)
  }
  return first
}

function entriesOf(name: string, indexes: readonly RegistryIndex[]): Found[] {
  return indexes.flatMap(({ registry, entries }) => {
    const entry = entries.find(name)
    return entry === undefined ? [] : [{ entry, registry }]
  })
}

interface Failure {
  readonly registry: Registry
  readonly error: OrlaError
}

async function loadIndexes(
  asked: readonly Registry[],
  deps: ResolveDeps,
): Promise<{ indexes: readonly RegistryIndex[]; failures: Failure[] }> {
  const indexes: RegistryIndex[] = []
  const failures: Failure[] = []
  for (const registry of asked) {
    try {
      indexes.push(await deps.index(registry))
    } catch (error) {
      // One that cannot be reached does not keep the others from answering.
      if (!(error instanceof OrlaError) || FINAL.has(error.code) || asked.length === 1) throw error
      failures.push({ registry, error })
    }
  }
  return { indexes, failures }
}

const FINAL: ReadonlySet<string> = new Set(['E_UNTRUSTED', 'E_INTERRUPTED'])

/** A name that is missing may have been added since the copy was made. */
async function askAgain(indexes: readonly RegistryIndex[], deps: ResolveDeps): Promise<RegistryIndex[]> {
  const old = indexes.filter(({ isCopy }) => isCopy)
  return Promise.all(old.map(({ registry }) => deps.index(registry, true)))
}

function unknownRegistry(name: string | undefined, registries: readonly Registry[]): OrlaError {
  const names = registries.map((registry) => registry.name)
  if (name === undefined) {
    return new OrlaError('E_NOT_FOUND', 'no registry is configured', {
      hint: '`orla registry add NAME URL` adds one',
    })
  }
  const close = nearest(name, names)
  return new OrlaError('E_NOT_FOUND', `there is no registry \`${name}\``, {
    hint: close ? `did you mean \`${close}\`?` : `configured: ${names.join(', ') || 'none'}`,
  })
}

function unknownName(
  name: string,
  indexes: readonly RegistryIndex[],
  failures: readonly Failure[],
): OrlaError {
  const names = indexes.flatMap(({ entries }) => entries.all().map((entry) => entry.name))
  const close = nearest(name, names)
  const where = indexes.map(({ registry }) => registry.name).join(', ')
  const missing = `there is no package \`${name}\` in ${where}`
  const hint = close ? `did you mean \`${close}\`?` : `\`orla search ${name}\` looks in descriptions too`
  const [first] = failures
  if (first === undefined) return new OrlaError('E_NOT_FOUND', missing, { hint })
  // It may be in one of those: what keeps them from answering is what someone can act on.
  const silent = failures.map(
    ({ registry, error }) => `${registry.name} could not be asked: ${error.message}`,
  )
  return new OrlaError(first.error.code, [missing, ...silent].join('\n'), {
    hint: close ? hint : (first.error.hint ?? hint),
  })
}
