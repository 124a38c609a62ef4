import { arch, availableParallelism, loadavg, platform, release, totalmem } from 'node:os'

/** What a reader needs to judge the figures, and nothing that names the machine. */
export function describeMachine({ hasCompiler }) {
  const load = loadavg()[0]
  const machine = [
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${platform()} ${release().split('.').slice(0, 2).join('.')} ${arch()}`,
    `Node ${process.versions.node}`,
    ...(hasCompiler ? [] : ['no C compiler: the C floors are left out']),
  ]
  return {
    heading(ms) {
      return `# Results

Written by \`npm run bench\`. ${new Date().toISOString().slice(0, 10)}, ${Math.round(ms / 1_000)} s on ${machine.join(', ')}.
Load average ${load.toFixed(1)} when it began: whatever else ran is in the spread.

A ratio is the median over the rounds of Orla's figure divided by the floor's, both taken in the same round; beside it
the tenth and the ninetieth percentile of these ratios. Absolute figures are medians, for orientation: they do not
travel to another machine. More is better for requests/s, less for everything else.
`
    },
  }
}
