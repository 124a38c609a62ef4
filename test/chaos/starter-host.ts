import { dirname, join } from 'node:path'
import { createNodeStarter } from '../../src/platform/process/node-starter.ts'

// A server reduced to its starter, to be killed by a test: starter-host TOOLS TAG MODE TOOL...
// MODE is `busy` (runs the tools over and over, four at a time, prints `ready` when it begins), `once` (starts
// each tool once, prints `ready` when all run), `groups` (the same on a host without /proc), or `open` (opens each
// tool to talk to it, and starts those that end again).
const [tools = '', tag = '', mode = 'busy', ...names] = process.argv.slice(2)
const starter = createNodeStarter({ procfs: mode !== 'groups' })

async function runOne(name: string, timeoutMs: number): Promise<void> {
  await starter.run({
    file: join(tools, name),
    args: [tag, 'wait'],
    cwd: dirname(tools),
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    stdin: '{}',
    timeoutMs,
    graceMs: 50,
    outputBytes: 1024,
    signal: new AbortController().signal,
  })
}

async function keepOpen(name: string): Promise<never> {
  for (;;) {
    const opened = await starter.open({
      file: join(tools, name),
      args: [tag, 'wait'],
      cwd: dirname(tools),
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      graceMs: 50,
    })
    if ('problem' in opened) throw opened.error
    for (const stream of [opened.stdout, opened.stderr]) stream.resume()
    await opened.exited
  }
}

async function runForEver(first: number): Promise<never> {
  for (let index = first; ; index++) {
    await runOne(names[index % names.length] ?? 'slow.sh', 20 + Math.random() * 200)
  }
}

if (mode === 'busy') {
  process.stdout.write('ready\n')
  await Promise.all([0, 1, 2, 3].map(runForEver))
} else if (mode === 'open') {
  process.stdout.write('ready\n')
  await Promise.all(names.map(keepOpen))
} else {
  const running = names.map((name) => runOne(name, 0))
  process.stdout.write('ready\n')
  await Promise.all(running)
}
