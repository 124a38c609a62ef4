/** One number with everything that is told about it, as Prometheus reads it. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

export interface Sample {
  /** Behind the name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** The text format, version 0.0.4. */
export function formatMetrics(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(
      ({ suffix = '', labels = {}, value }) => `${name}${suffix}${formatLabels(labels)} ${value}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}
