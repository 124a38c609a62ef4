import { expect, it } from 'vitest'
import { formatMetrics } from './prometheus.ts'

it('Q94: writes what Prometheus reads, and lets no label end before its time', () => {
  const text = formatMetrics([
    {
      name: 'calls_total',
      help: 'Calls\nof \\ tools',
      type: 'counter',
      samples: [{ labels: { tool: 'a"} 1\nforged\\' }, value: 2 }, { value: 0.5 }],
    },
    { name: 'up', help: 'Up', type: 'gauge', samples: [] },
  ])
  expect(text.split('\n')).toEqual([
    '# HELP calls_total Calls\\nof \\\\ tools',
    '# TYPE calls_total counter',
    'calls_total{tool="a\\"} 1\\nforged\\\\"} 2',
    'calls_total 0.5',
    '# HELP up Up',
    '# TYPE up gauge',
    '',
  ])
})
