import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, connectHttp, TRANSPORTS } from '../stories/clients.ts'
import { eventually, makeProject, NODE, ORLA, type Project } from '../stories/project.ts'
import { watchesOf } from '../watches.ts'

/** One of many files, which nothing in the manifest names. */
const VICTIM = 'data/777'
const CONTENT = 'as it was\n'

/** What can be done to it, and that it is done. */
const CHANGES: Readonly<Record<string, (file: string) => boolean>> = {
  'is written to': (file) => {
    writeFileSync(file, 'evil\n', { flag: 'a' })
    return readFileSync(file, 'utf8').includes('evil')
  },
  'is replaced by another under its name': (file) => {
    // In a folder that nobody watches, so that all there is to hear is the exchange.
    const other = join(file, '../../../../other')
    writeFileSync(other, CONTENT.replace('was', 'evl'))
    renameSync(other, file)
    return readFileSync(file, 'utf8').includes('evl')
  },
  'is deleted': (file) => {
    rmSync(file)
    return !readdirSync(join(file, '..')).includes('777')
  },
  'becomes executable': (file) => {
    chmodSync(file, 0o755)
    return (statSync(file).mode & 0o111) !== 0
  },
  'gets a neighbour': (file) => {
    writeFileSync(join(file, '../os.py'), 'evil\n')
    return readdirSync(join(file, '..')).includes('os.py')
  },
  'is written to, its size and time as before': (file) => {
    const { atime, mtime, size } = statSync(file)
    writeFileSync(file, CONTENT.replace('was', 'evl'), { flag: 'r+' })
    utimesSync(file, atime, mtime)
    return statSync(file).size === size && Math.abs(statSync(file).mtimeMs - mtime.getTime()) < 1
  },
}

/** Each change so many times. */
const ROUNDS = 2

interface Watched {
  readonly project: Project
  readonly folder: string
  /** Puts back what was changed. */
  undo(): void
}

/** An installed package of 1,000 files. Nothing is reloaded, so that only the look before a call can notice. */
async function installed(): Promise<Watched> {
  const many = Array.from({ length: 1_000 }, (_, index) => [`source/data/${index}`, CONTENT])
  const project = makeProject({
    'orla.yaml': 'watch: false\nsandbox: off\n',
    'source/tool.yaml': 'name: many\nversion: 1.0.0\ndescription: Many files\nentrypoint: bin/run.sh\n',
    'source/bin/run.sh': '#!/bin/sh\necho hello\n',
    ...Object.fromEntries(many),
    // Files count as settled at once: what changed within two seconds would be read before each call.
    'clock.cjs': 'const now = Date.now; Date.now = () => now() + 10_000\n',
  })
  const { status, stderr } = await project.orla(['install', '--local', 'source', '--yes'])
  expect([status, stderr]).toEqual([0, expect.any(String)])
  const folder = join(project.dir, 'tools/many/1.0.0')
  cpSync(join(folder, VICTIM), join(project.dir, 'backup'), { preserveTimestamps: true })
  return {
    project: {
      ...project,
      env: { ...project.env, NODE_OPTIONS: `--require ${join(project.dir, 'clock.cjs')}` },
    },
    folder,
    undo() {
      rmSync(join(folder, 'data/os.py'), { force: true })
      rmSync(join(folder, VICTIM), { force: true })
      cpSync(join(project.dir, 'backup'), join(folder, VICTIM), { preserveTimestamps: true })
    },
  }
}

/** Calls the tool; before the answer of what was asked last, where `ahead` asks for something first. */
interface Hasty {
  ahead(): void
  call(): Promise<Answer>
}

const serve = (project: Project) => project.serve(['--port', '0'], { env: project.env })

async function connect(transport: (typeof TRANSPORTS)[number], { project }: Watched): Promise<Hasty> {
  if (transport === 'stdio') return connectPipe(project)
  const { url } = await serve(project)
  const [client, other] = [await connectHttp('v2-modern', url), await connectHttp('v2-modern', url)]
  return { ahead: () => void other.list(), call: () => client.call('many') }
}

/** Without a client in between, so that two requests lie in the pipe together. */
async function connectPipe({ dir, env }: Project): Promise<Hasty> {
  const child = spawn(NODE, [ORLA, '--stdio'], {
    cwd: dir,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(async () => {
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  })
  const waiting = new Map<number, (result: Answer) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id?: number; result: Answer }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  let requests = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method: string, params: object) =>
    new Promise<Answer>((resolve) => {
      waiting.set(++requests, resolve)
      send({ id: requests, method, params })
    })
  const clientInfo = { name: 'hasty', version: '1.0.0' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    ahead: () => void ask('tools/list', {}),
    call: () => ask('tools/call', { name: 'many', arguments: {} }),
  }
}

const RUNS = [false, 'hello\n']
const DENIED = [true, expect.stringMatching(/is not run: .* since it was installed/)]

async function answer(client: Hasty): Promise<unknown[]> {
  const { content, isError = false } = await client.call()
  return [isError, content[0]?.text]
}

/** The first call finds the files unchanged, the second one watches them. */
async function settle(client: Hasty, what: string): Promise<void> {
  for (let call = 0; call < 3; call++) expect(await answer(client), what).toEqual(RUNS)
}

describe.skipIf(process.platform !== 'linux')('of an installed package, one of 1,000 files', () => {
  it.each(TRANSPORTS)(
    'Q89: is changed and the package called at once, over %s: no such call runs',
    async (transport) => {
      const many = await installed()
      const client = await connect(transport, many)
      let step = 0
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, change] of Object.entries(CHANGES)) {
          await settle(client, `${name}, round ${round}`)
          // The call may be read along with this, and so before anyone told of the change.
          client.ahead()
          for (let left = (step++ * 7_919) % 20_000; left > 0; left--);
          expect(change(join(many.folder, VICTIM)), `${name}: it was not done`).toBe(true)
          expect(await answer(client), `${name}, round ${round}`).toEqual(DENIED)
          many.undo()
        }
      }
    },
    120_000,
  )

  it('Q89: changes unseen for a moment where nothing can be watched, so that the attack is one', async () => {
    const many = await installed()
    // What has a second name can be changed under that without a word here.
    linkSync(join(many.folder, 'data/1'), join(many.project.dir, 'second-name'))
    const client = await connect('http', many)
    const isUnseen = async () => {
      await settle(client, 'not watched')
      writeFileSync(join(many.folder, VICTIM), 'evil\n', { flag: 'a' })
      const [isError] = await answer(client)
      many.undo()
      return isError === false
    }
    await eventually(isUnseen, 'a call that runs')
  })

  it('Q89: is written past the watches: that is found after a call, told in the log, and no later call runs', async () => {
    const many = await installed()
    const server = await serve(many.project)
    const client = await connectHttp('v2-modern', server.url)
    const isDenied = async () => (await client.call('many')).isError === true
    const secondName = join(many.project.dir, 'second-name')
    // A call that took long looks at everything itself; then it is tried again.
    const told = await eventually(async () => {
      many.undo()
      rmSync(secondName, { force: true })
      for (let time = 0; time < 3; time++) expect(await isDenied()).toBe(false)
      linkSync(join(many.folder, VICTIM), secondName)
      writeFileSync(secondName, 'evil\n', { flag: 'a' })
      await eventually(isDenied, 'a denial')
      expect(await isDenied()).toBe(true)
      const told = () => server.records.find(({ msg }) => msg.includes('is not run'))
      return await eventually(told, 'a record', 1_000).catch(() => undefined)
    }, 'what was found in the log')
    expect(told).toMatchObject({
      level: 'warn',
      msg: '`many` is not run: data/777 changed since it was installed',
      file: many.folder,
      hint: expect.stringContaining('orla install'),
    })
  })

  it('is watched as long as the package is served', async () => {
    const many = await installed()
    const server = await serve(many.project)
    const client = await connectHttp('v2-modern', server.url)
    const watches = () => watchesOf(server.child.pid ?? 0)
    expect(watches(), 'nobody has called it').toBe(0)
    for (let time = 0; time < 2; time++) expect((await client.call('many')).isError).not.toBe(true)
    expect(watches(), 'the package, bin and data').toBe(3)
    many.project.write({ 'orla.yaml': 'watch: false\ntools_dir: elsewhere\n' })
    server.child.kill('SIGHUP')
    await server.record(({ msg }) => msg === 'reloaded')
    await eventually(() => watches() === 0, 'no watches')
    expect((await server.stop()).code).toBe(0)
  })
})
