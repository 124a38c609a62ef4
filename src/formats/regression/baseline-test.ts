import type { TestOutcome } from '../test-report.ts'
import type { BaselineTest } from './baseline-file.ts'
import type { OutputShape } from './output-shape.ts'

/** What is remembered of a test that ran. */
export function baselineTest(outcome: TestOutcome, host: string, atOnce: number): BaselineTest {
  const { package: from, tool, name, file, version, status, output, samples } = outcome
  return {
    package: from,
    tool,
    name,
    file,
    version,
    status,
    ...(output === undefined ? {} : { output: bounded(output) }),
    latency: { host, atOnce, samplesMs: thinned(samples).map((ms) => Math.round(ms * 100) / 100) },
  }
}

const MOST_SAMPLES = 50
const MOST_CHARACTERS = 20_000

/** More say no more about the time; they are taken from the whole run evenly. */
function thinned(samples: readonly number[]): readonly number[] {
  if (samples.length <= MOST_SAMPLES) return samples
  const step = samples.length / MOST_SAMPLES
  return Array.from({ length: MOST_SAMPLES }, (_, index) => samples[Math.floor(index * step)] ?? 0)
}

/** A file that people commit is not for shapes of any size. */
function bounded(shape: OutputShape): OutputShape {
  return JSON.stringify(shape).length <= MOST_CHARACTERS ? shape : { types: shape.types, open: true }
}
