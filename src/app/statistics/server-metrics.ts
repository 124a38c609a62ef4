import { formatMetrics, type Metric, type Sample } from '../../formats/index.ts'
import type { CapsuleState, CapsuleStatus } from '../../model/index.ts'
import { BOUNDS, type CallCounter } from './call-counters.ts'

export interface ServerFacts {
  readonly version: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly tools: number
  readonly problems: number
  readonly sessions: number
  readonly connections: number
  readonly capsules: readonly CapsuleStatus[]
  readonly calls: readonly CallCounter[]
  readonly unknown: number
}

/** Everything about this process since it was started. What other processes did is in `orla stats`. */
export function renderServerMetrics(facts: ServerFacts): string {
  const { calls, version, startedAt } = facts
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return formatMetrics([
    counter('orla_calls_total', 'Calls by outcome: ok, or why they failed', calls.flatMap(outcomeSamples)),
    {
      name: 'orla_call_duration_seconds',
      help: 'Time calls took, without waiting for their turn',
      type: 'histogram',
      samples: calls.flatMap(histogramSamples),
    },
    counter(
      'orla_call_input_bytes_total',
      'Bytes given to tools',
      calls.map((one) => sample(one, one.bytesIn)),
    ),
    counter(
      'orla_call_output_bytes_total',
      'Bytes tools gave back',
      calls.map((one) => sample(one, one.bytesOut)),
    ),
    counter('orla_unknown_tool_calls_total', 'Calls of names that no tool has', [{ value: facts.unknown }]),
    gauge('orla_info', 'The version that runs', [{ labels: { version }, value: 1 }]),
    gauge('orla_uptime_seconds', 'Since the start of this process', [
      { value: (Date.now() - startedAt) / 1_000 },
    ]),
    gauge('orla_sessions', 'Sessions of clients', [{ value: facts.sessions }]),
    gauge('orla_connections', 'Connections of clients', [{ value: facts.connections }]),
    gauge('orla_tools', 'Tools that are served', [{ value: facts.tools }]),
    gauge('orla_problems', 'Tools that cannot be served', [{ value: facts.problems }]),
    gauge('orla_capsules', 'Capsules by state', capsuleSamples(facts.capsules)),
    gauge('process_start_time_seconds', 'Start of this process, since 1970', [{ value: startedAt / 1_000 }]),
    gauge('process_resident_memory_bytes', 'Memory of this process', [{ value: rss }]),
    gauge('orla_heap_used_bytes', 'Memory in use by the program itself', [{ value: heapUsed }]),
    counter('process_cpu_seconds_total', 'Processor time of this process', [
      { value: (user + system) / 1e6 },
    ]),
  ])
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'counter', samples }
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'gauge', samples }
}

function labelsOf({ tool, version }: CallCounter): Record<string, string> {
  return { tool, version }
}

function sample(one: CallCounter, value: number): Sample {
  return { labels: labelsOf(one), value }
}

function outcomeSamples(one: CallCounter): Sample[] {
  return [...one.outcomes].map(([outcome, value]) => ({ labels: { ...labelsOf(one), outcome }, value }))
}

/** Each bucket counts those before it too. */
function histogramSamples(one: CallCounter): Sample[] {
  const labels = labelsOf(one)
  let count = 0
  const buckets = one.seconds.map((value, at): Sample => {
    count += value
    return { suffix: '_bucket', labels: { ...labels, le: String(BOUNDS[at] ?? '+Inf') }, value: count }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels, value: one.sumSeconds },
    { suffix: '_count', labels, value: count },
  ]
}

const CAPSULE_STATES: readonly CapsuleState[] = [
  'CREATED',
  'STARTING',
  'READY',
  'RELOADING',
  'CRASHED',
  'STOPPED',
]

/** Those that there are none of too: a line that comes and goes is no zero. */
function capsuleSamples(capsules: readonly CapsuleStatus[]): Sample[] {
  return CAPSULE_STATES.map((state) => ({
    labels: { state },
    value: capsules.filter((capsule) => capsule.state === state).length,
  }))
}
