import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeDoingNothing } from '../lib/floors.mjs'
import { timeOrla, timeProgram } from '../lib/orla.mjs'
import { ratio } from '../lib/report.mjs'
import { rounds } from '../lib/rounds.mjs'

export const title = 'Tests and archives'
const TESTS = 1_000
const FILES = 1_000
const WIDTH = 8
const LOOP = fileURLToPath(new URL('../programs/fetch-loop.mjs', import.meta.url))
const SCHEMA = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }

/** `orla test` against asking the endpoint without it, and unpacking a package against `unzip`. */
export async function measure({ scratch, quick }) {
  const count = quick ? 2 : 8
  return [
    await thousandTests(scratch, count, { figure: 'that answers at once', delayMs: 0 }),
    // Where the endpoint has something to do, nothing else should be noticed.
    await thousandTests(scratch, count, { figure: 'that takes 5 ms', delayMs: 5, most: 1.5 }),
    // Mostly the disk's time, of which a round takes much.
    ...(await thousandFiles(scratch, Math.ceil(count / 2))),
  ]
}

async function thousandTests(scratch, count, { figure, delayMs, most }) {
  const server = createServer((request, response) => {
    const answer = () => response.setHeader('content-type', 'application/json').end('{"message":"hello"}')
    request.resume().on('end', () => (delayMs === 0 ? answer() : setTimeout(answer, delayMs)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${server.address().port}/`
  const project = join(scratch.base, `tested-${delayMs}`)
  writeTested(join(project, 'echo'), url)
  try {
    const figures = await rounds(count, {
      orla: () => timeOrla(scratch, project, ['test', './echo', '--jobs', String(WIDTH), '--json']),
      floor: () => timeProgram(process.execPath, [LOOP, url, String(TESTS), String(WIDTH)]),
    })
    return ratio({
      figure: `${TESTS} tests of an endpoint ${figure}, ${WIDTH} at once`,
      against: 'a bare `fetch` loop',
      unit: 'ms',
      value: figures.orla,
      floor: figures.floor,
      most,
    })
  } finally {
    server.close()
  }
}

async function thousandFiles(scratch, count) {
  if (spawnSync('unzip', ['-v']).error || spawnSync('zip', ['-v']).error) {
    console.error('A package of 1,000 files is not measured: there is no zip or no unzip here.')
    return []
  }
  const folder = join(scratch.base, 'thousand-files')
  writePackage(folder, 'http://127.0.0.1:9/', [])
  mkdirSync(join(folder, 'data'))
  for (let index = 0; index < FILES; index++)
    writeFileSync(join(folder, 'data', `${index}.txt`), `line ${index}\n`.repeat(200))
  const archive = join(scratch.base, 'thousand-files.mcpkg')
  execFileSync('zip', ['-qr', archive, '.'], { cwd: folder })
  const project = join(scratch.base, 'thousand-files-installed')
  mkdirSync(project)
  const out = join(scratch.base, 'unzipped')
  const unzip = () => {
    rmSync(out, { recursive: true, force: true })
    return timeProgram('unzip', ['-q', archive, '-d', out])
  }
  const start = () => timeProgram(process.execPath, nodeDoingNothing)
  const figures = await rounds(count, {
    validate: () => timeOrla(scratch, scratch.base, ['validate', archive]),
    unzip: async () => (await unzip()) + (await start()),
    install: () => timeOrla(scratch, project, ['install', archive, '--yes', '--force']),
    // What an install keeps survives a loss of power.
    unzipToDisk: async () => (await unzip()) + (await timeProgram('sync', namesBelow(out))) + (await start()),
  })
  return [
    ratio({
      figure: `\`orla validate\` of an .mcpkg with ${FILES} files: every byte read and checked`,
      against: '`unzip` + `node -e 0`',
      unit: 'ms',
      value: figures.validate,
      floor: figures.unzip,
      most: 2,
    }),
    ratio({
      figure: `\`orla install\` of it: unpacked, checked, on the disk and recorded`,
      against: '`unzip` + `sync` of each file + `node -e 0`',
      unit: 'ms',
      value: figures.install,
      floor: figures.unzipToDisk,
      most: 2,
    }),
  ]
}

function namesBelow(folder) {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, name))
}

function writeTested(folder, url) {
  const names = Array.from({ length: TESTS }, (_, index) => `tests/${index}.test.json`)
  writePackage(folder, url, names)
  mkdirSync(join(folder, 'tests'))
  for (const [index, name] of names.entries()) {
    const test = { name: `test ${index}`, input: { message: 'hello' }, expected: { message: 'hello' } }
    writeFileSync(join(folder, name), JSON.stringify(test))
  }
}

function writePackage(folder, url, tests) {
  mkdirSync(folder, { recursive: true })
  const manifest = {
    toolId: 'bench.echo',
    name: 'Echo',
    version: '1.0.0',
    description: 'Echoes its message.',
    capabilities: ['echo'],
    endpoint: { type: 'http', method: 'POST', url },
    input_schema: SCHEMA,
    output_schema: SCHEMA,
    tests,
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
}
