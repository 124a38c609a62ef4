import { satisfies } from '../formats/index.ts'
import { OrlaError } from '../model/index.ts'
import type { Staging } from '../platform/index.ts'
import { calledSteps, isToolOf } from './called-tools.ts'
import { type Candidate, fetchCandidate, type Step } from './candidate.ts'
import { type ToolRequirement, toolRequirements } from './dependencies.ts'
import { inParallel } from './in-parallel.ts'
import type { InstallDeps, InstallOptions } from './install.ts'
import { installedVersions } from './installed.ts'
import { noneFits, unmetNeeds } from './needs.ts'
import type { Wanted } from './wanted.ts'

/** Fetches what is wanted, then what that needs, until nothing is missing: what was asked for first. */
export async function gather(
  wanted: readonly Wanted[],
  options: InstallOptions,
  deps: InstallDeps,
  stagings: Staging[],
): Promise<Candidate[]> {
  const found: Candidate[] = []
  const asked = new Set<string>()
  let wave: readonly Step[] = wanted.map((one, place) => ({ wanted: one, asked: place, needs: [] }))
  for (let round = 0; wave.length > 0; round++) {
    if (round === MOST_ROUNDS)
      throw new OrlaError('E_DEPENDENCY', 'no versions were found that fit each other')
    const fetched = await inParallel(wave, (step) => fetchCandidate(step, options, deps, stagings))
    for (const candidate of fetched) addOnce(found, candidate)
    const needed = nextSteps(found, deps)
    // Packages that are needed come first: they may bring what a chain calls.
    wave = needed.length > 0 ? needed : await calledSteps(found, asked, options, deps)
  }
  return inUse(found).sort((a, b) => (a.step.asked ?? wanted.length) - (b.step.asked ?? wanted.length))
}

const MOST_ROUNDS = 50

/** The same package in two versions only because it was asked for. */
function addOnce(found: Candidate[], candidate: Candidate): void {
  const { name, version } = candidate.manifest
  const isThere = found.some(({ manifest }) => manifest.name === name && manifest.version === version)
  if (!isThere) found.push(candidate)
}

/** What is missing; what was chosen too freely is taken out and chosen again. */
function nextSteps(found: Candidate[], deps: InstallDeps): Step[] {
  const unmet = unmetNeeds(found, (need) => isInstalled(need, deps))
  const before = [...found]
  return [...unmet].map(([name, needs]) => {
    const rivals = found.filter(({ manifest }) => manifest.name === name)
    const [rival] = rivals
    if (rivals.some(({ isFree }) => !isFree)) {
      throw noneFits(
        name,
        needs,
        rivals.map(({ manifest }) => manifest.version),
      )
    }
    if (rival) {
      found.splice(found.indexOf(rival), 1)
      return { ...rival.step, needs }
    }
    const parent = before.find(({ manifest }) => manifest === needs[0]?.by)
    const registry = parent?.pin.kind === 'directory' ? undefined : parent?.pin.registry
    return {
      wanted: { spec: { kind: 'name', name } },
      needs,
      ...(registry === undefined ? {} : { registry }),
    }
  })
}

function isInstalled(need: ToolRequirement, { places }: InstallDeps): boolean {
  return installedVersions(places.toolsDir, need.name).some(
    ({ version, receipt }) => receipt?.hook !== 'pending' && satisfies(need, version),
  )
}

/** Without what only a version needed that was chosen first and replaced then. */
function inUse(found: readonly Candidate[]): Candidate[] {
  const kept = new Set(found.filter(({ step }) => step.asked !== undefined))
  for (const one of kept) {
    const needs = toolRequirements(one.manifest)
    for (const other of found) {
      const { name, version } = other.manifest
      const isNeeded = needs.some((need) => need.name === name && satisfies(need, version))
      if (isNeeded || one.calls.some((tool) => isToolOf(other.manifest, tool))) kept.add(other)
    }
  }
  return [...kept]
}
