import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { describeLook, entriesOf, makeOddFolder } from './look-at.contract.ts'
import { LOOK_NUMBERS, lookWithNode } from './look-at.ts'
import { type Looker, loadLooker, lookerFile } from './looker.ts'
import { buildNative, hasSanitizers, SANITIZE, sanitizerEnvironment } from './native.contract.ts'

/** Not there without a compiler, and for other processors. */
const path = buildNative('build-looker.mjs', 'looker.node', [])
const scratch = mkdtempSync(join(tmpdir(), 'looker-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe.skipIf(!existsSync(path))('the looker', () => {
  const looker: Looker = existsSync(path) ? loadLooker(path) : { lookAt: lookWithNode }
  for (const threads of [0, 1, 2, 3, 4])
    describeLook(`with ${threads} threads`, (paths, into) => looker.lookAt(paths, into, threads))

  it('sees what Node sees, whatever it is asked for', () => {
    const { paths } = makeOddFolder()
    const entry = fc.tuple(fc.constantFrom(...paths), fc.constantFrom('l' as const, 'f' as const))
    const few = fc.array(entry, { maxLength: 40 })
    const many = fc.tuple(fc.array(entry, { minLength: 1, maxLength: 9 }), fc.integer({ min: 200, max: 700 }))
    const repeated = many.map(
      ([some, count]) =>
        Array.from({ length: count }, (_, at) => some[at % some.length] as (typeof some)[number]), // it is in there
    )
    fc.assert(
      fc.property(fc.oneof(few, repeated), fc.integer({ min: -1, max: 20 }), (entries, threads) => {
        const bytes = Buffer.concat(entries.map(([name, flag]) => entriesOf([name], flag)))
        const numbers = () => new Float64Array(entries.length * LOOK_NUMBERS + 3).fill(7)
        const [into, expected] = [numbers(), numbers()]
        expect(looker.lookAt(bytes, into, threads)).toBe(lookWithNode(bytes, expected))
        expect(Buffer.from(into.buffer).equals(Buffer.from(expected.buffer))).toBe(true)
      }),
    )
  })

  it('refuses the bytes that Node refuses, and no others', () => {
    const byte = fc.constantFrom(...Buffer.from('llfff//..a\0\0\0\xff', 'latin1'))
    const outcome = (look: () => number) => {
      try {
        return look()
      } catch (error) {
        return error instanceof TypeError
      }
    }
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 30 }), fc.nat({ max: 40 }), (bytes, room) => {
        const paths = Uint8Array.from(bytes)
        expect(outcome(() => looker.lookAt(paths, new Float64Array(room), 2))).toBe(
          outcome(() => lookWithNode(paths, new Float64Array(room))),
        )
      }),
    )
  })

  it('refuses arguments of other kinds', () => {
    const paths = entriesOf(['/'], 'l')
    const into = new Float64Array(LOOK_NUMBERS)
    const shared = new Float64Array(new SharedArrayBuffer(LOOK_NUMBERS * 8))
    const own = new ArrayBuffer(64)
    const odd: [unknown?, unknown?, unknown?][] = [
      [],
      [paths],
      [paths, into],
      ['l/\0', into, 1],
      [null, into, 1],
      [[108, 47, 0], into, 1],
      [new Int8Array(paths), into, 1],
      [new DataView(own), into, 1],
      [own, into, 1],
      [paths, new Float32Array(LOOK_NUMBERS), 1],
      [paths, new BigInt64Array(LOOK_NUMBERS), 1],
      [paths, {}, 1],
      [paths, into, '1'],
      [paths, into, 1n],
      // What another thread may write to meanwhile, and what looking would overwrite.
      [paths, shared, 1],
      [new Uint8Array(new SharedArrayBuffer(0)), into, 1],
      [new Uint8Array(own, 40), new Float64Array(own, 0, LOOK_NUMBERS), 1],
    ]
    const call = looker.lookAt as (...words: unknown[]) => number // what the types do not allow
    for (const words of odd) expect(() => call(...words), String(words)).toThrow(TypeError)
    expect(call(paths, into, Number.POSITIVE_INFINITY)).toBe(1)
    expect(call(paths, into, Number.NaN, 'more')).toBe(1)
  })

  it('can be loaded in several threads', async () => {
    const text = `
      const library = { exports: {} }
      process.dlopen(library, ${JSON.stringify(path)})
      const numbers = new Float64Array(${LOOK_NUMBERS * 1_000})
      const count = library.exports.lookAt(Buffer.from('l/\\0'.repeat(1_000)), numbers, 2)
      require('node:worker_threads').parentPort.postMessage([count, ...numbers.slice(0, ${LOOK_NUMBERS})])`
    const answers = [1, 2].map(
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker(text, { eval: true })
          worker.once('message', resolve)
          worker.once('error', reject)
        }),
    )
    const numbers = new Float64Array(LOOK_NUMBERS)
    lookWithNode(entriesOf(['/'], 'l'), numbers)
    expect(await Promise.all(answers)).toEqual(Array(2).fill([1_000, ...numbers]))
  })

  it('needs nothing that is not in every Node', () => {
    const read = (...words: string[]) =>
      spawnSync('readelf', ['--wide', ...words, path], { encoding: 'utf8' }).stdout
    expect(read('--dynamic')).toContain('BIND_NOW')
    expect(read('--dynamic')).not.toContain('NEEDED')
    const symbols = [...read('--dyn-syms').matchAll(/ (UND|\d+) (\w+)(@\S+)?$/gm)]
    const named = (wanted: boolean) =>
      symbols.filter(([, place]) => (place === 'UND') === wanted).map(([, , name]) => name)
    expect(named(false)).toEqual(['napi_register_module_v1'])
    const others = named(true).filter((name) => !/^(napi_\w+|uv_thread_(create|join))$/.test(name ?? ''))
    const anywhere = [
      '__errno_location',
      '__stack_chk_fail',
      '__stack_chk_guard',
      'memchr',
      'memcpy',
      'memset',
      'strlen',
      'syscall',
    ]
    expect(others.filter((name) => !anywhere.includes(name ?? ''))).toEqual([])
    expect(others.length).toBeGreaterThan(0)
  })

  it.skipIf(spawnSync('prlimit', ['--version']).status !== 0)(
    'does it alone when no thread can be started',
    () => {
      // With all of its address space used up there is no room for the stack of another thread.
      const text = `
      const { execFileSync } = require('node:child_process')
      const { lstatSync, readFileSync } = require('node:fs')
      const library = { exports: {} }
      process.dlopen(library, ${JSON.stringify(path)})
      const paths = Buffer.from('l/\\0'.repeat(1_000))
      const numbers = new Float64Array(${LOOK_NUMBERS * 1_000})
      const used = () => Number(/VmSize:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1_024
      execFileSync('prlimit', ['--pid', String(process.pid), '--as=' + (used() + 1_048_576)])
      const before = used()
      const count = library.exports.lookAt(paths, numbers, 4)
      const grown = used() - before
      const { ino } = lstatSync('/')
      const right = Array.from({ length: 1_000 }, (_, at) => numbers[at * ${LOOK_NUMBERS} + 3] === ino).every(Boolean)
      process.stdout.write(JSON.stringify({ count, right, grown }))`
      const { stdout } = spawnSync(process.execPath, ['-e', text], { encoding: 'utf8' })
      expect(JSON.parse(stdout)).toEqual({ count: 1_000, right: true, grown: 0 })
    },
  )

  it.skipIf(!hasSanitizers)('makes no mistake in memory or arithmetic, whatever it is given', () => {
    const library = buildNative('build-looker.mjs', 'looker.node', SANITIZE)
    const words = ['-e', ODD_INPUT, library, scratch]
    const options = { env: sanitizerEnvironment(), encoding: 'utf8' } as const
    expect(execFileSync(process.execPath, words, options)).toMatch(/^\d+ seen, \d+ refused$/)
  })
})

/** LIBRARY FOLDER: bytes of all kinds, each in memory of exactly its own size. */
const ODD_INPUT = `
const [file, folder] = process.argv.slice(1)
const library = { exports: {} }
process.dlopen(library, file)
const { lookAt } = library.exports
let seed = 1
const below = (limit) => (seed = (seed * 48271) % 2147483647) % limit
const pieces = ['l', 'f', '\\0', '/', 'x', 'l/\\0', 'f/\\0', 'l' + folder + '\\0', 'f' + 'y'.repeat(5000) + '\\0', 'l\\0']
let seen = 0
let refused = 0
for (let round = 0; round < 3000; round++) {
  const isLikely = below(2) === 0
  const count = round % 50 === 0 ? 250 + below(800) : below(20)
  let text = ''
  for (let at = 0; at < count; at++) text += pieces[isLikely ? 5 + below(5) : below(10)]
  const entries = text.split('\\0').length - 1
  const paths = new Uint8Array(Buffer.from(text))
  const into = new Float64Array(Math.max(0, entries * 6 - (below(4) === 0 ? 1 + below(8) : 0)))
  try {
    lookAt(paths, into, below(20) - 1)
    seen++
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    refused++
  }
}
process.stdout.write(seen + ' seen, ' + refused + ' refused')
`

describe('lookerFile', () => {
  it('is what was built, what npm installed, or none', () => {
    const dist = join(scratch, 'dist')
    const put = (...names: string[]) => {
      const file = join(scratch, ...names)
      mkdirSync(join(file, '..'), { recursive: true })
      copyFileSync('/bin/true', file)
      return file
    }
    expect(lookerFile(dist, 'linux', 'x64')).toBeUndefined()
    const installed = put('node_modules', '@orla', 'launcher-linux-x64', 'looker.node')
    expect(lookerFile(dist, 'linux', 'x64')).toBe(installed)
    expect(lookerFile(dist, 'linux', 'arm64')).toBeUndefined()
    const built = put('dist', 'looker.node')
    expect(lookerFile(dist, 'linux', 'x64')).toBe(built)
    expect(lookerFile(dist, 'darwin', 'x64')).toBeUndefined()
    rmSync(built)
    mkdirSync(built)
    expect(lookerFile(dist, 'linux', 'x64')).toBe(installed)
    expect(() => loadLooker(join(scratch, 'nowhere'))).toThrow('nowhere')
  })
})
