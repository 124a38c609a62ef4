import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { manifestJsonSchema, readManifest } from './manifest.ts'
import { toManifestFile } from './manifest-file.ts'
import { loadYaml } from './yaml.ts'

const readYaml = await loadYaml()
const read = (source: string) => readManifest(source, 'tool.yaml', readYaml)
const LEAST = 'name: fs\nversion: 1.0.0\ndescription: Files\nentrypoint: bin/fs\n'

/** Line, message and hint of every problem. */
function problemsOf(source: string) {
  return read(source).problems.map(({ line, message, hint }) => [line, message, ...(hint ? [hint] : [])])
}

describe('tool.yaml', () => {
  it('Q39, Q8: needs four keys; everything else has a default', () => {
    const { manifest, problems } = read(LEAST)
    expect(problems).toEqual([])
    expect(manifest).toEqual({
      name: 'fs',
      version: '1.0.0',
      description: 'Files',
      entrypoint: 'bin/fs',
      keywords: [],
      capabilities: [],
      dependencies: [],
      permissions: null,
      mcp: {},
      runtime: { mode: 'simple', env: {}, args: [] },
      limits: {},
      hooks: {},
    })
  })

  it('Q41, Q42, Q43, Q44: reads the whole of RFC 3 §5.3 and what came later', () => {
    const { manifest, problems } = read(`${LEAST}author: Ann
license: MIT
repository: https://git.example.com/ann/fs
homepage: https://example.com
language: python
keywords: [filesystem, file-access]
capabilities: [files]
dependencies: [python>=3.8, tool:http>=0.2.0]
permissions: [filesystem:read, network:example.com, x-later]
mcp:
  title: Files
  icons: [{src: 'https://example.com/i.png'}]
  annotations: {readOnlyHint: true}
  _meta: {a: 1}
  input_schema: {path: string}
  output_schema: {content: string}
runtime:
  mode: capsule
  startup_timeout_ms: 5000
  hot_load: {watch: ["./", ./src//a], mode: restart, debounce_ms: 250}
  env: {LOG_LEVEL: debug}
  args: ["--fast"]
  timeout: 90s
  handshake: mcp
  start: eager
  health: {interval_ms: 1000, timeout_ms: 200}
  idle_timeout_ms: 60000
  max_concurrency: 4
  restart: {base_ms: 100, cap_ms: 1000, limit: 3, window_ms: 10000}
limits: {timeout: 1m, cpu: 10, memory: 256MiB, processes: 8, file_size: 1GB, output: 1MB}
hooks: {post_install: ./bin/setup}
x-anything: {free: true}
`)
    expect(problems).toEqual([])
    expect(manifest).toEqual({
      name: 'fs',
      version: '1.0.0',
      description: 'Files',
      entrypoint: 'bin/fs',
      author: 'Ann',
      license: 'MIT',
      repository: 'https://git.example.com/ann/fs',
      homepage: 'https://example.com',
      language: 'python',
      keywords: ['filesystem', 'file-access'],
      capabilities: ['files'],
      dependencies: ['python>=3.8', 'tool:http>=0.2.0'],
      permissions: ['filesystem:read', 'network:example.com', 'x-later'],
      mcp: {
        title: 'Files',
        icons: [{ src: 'https://example.com/i.png' }],
        annotations: { readOnlyHint: true },
        meta: { a: 1 },
        inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
        outputSchema: { type: 'object', properties: { content: { type: 'string' } } },
      },
      runtime: {
        mode: 'capsule',
        env: { LOG_LEVEL: 'debug' },
        args: ['--fast'],
        timeoutMs: 90_000,
        startupTimeoutMs: 5000,
        hotLoad: { watch: ['.', 'src/a'], debounceMs: 250 },
        handshake: 'mcp',
        start: 'eager',
        health: { intervalMs: 1000, timeoutMs: 200 },
        idleTimeoutMs: 60_000,
        maxConcurrency: 4,
        restart: { baseMs: 100, capMs: 1000, limit: 3, windowMs: 10_000 },
      },
      limits: {
        timeoutMs: 60_000,
        cpuMs: 10_000,
        memoryBytes: 268_435_456,
        processes: 8,
        fileBytes: 1_000_000_000,
        outputBytes: 1_000_000,
      },
      hooks: { postInstall: 'bin/setup' },
    })
    if (manifest === undefined) throw new Error('has problems')
    const again = readManifest(JSON.stringify(toManifestFile(manifest)), 'tool.yaml', readYaml)
    expect(again).toMatchObject({ manifest, problems: [] })
  })

  it.each([
    ['', 'simple'],
    ['runtime:\n', 'simple'],
    ['runtime: {env: {A: b}, args: [x]}\n', 'simple'],
    ['runtime: {startup_timeout_ms: 100}\n', 'capsule'],
    ['runtime: {hot_load: {}}\n', 'capsule'],
    ['runtime: {mode: simple, hot_load: {}}\n', 'simple'],
    ['runtime: {mode: capsule}\n', 'capsule'],
  ])('Q8: the mode of %j is %s (reading a)', (runtime, mode) => {
    expect(read(LEAST + runtime).manifest?.runtime.mode).toBe(mode)
  })

  it('Q44: watches the package by default, after a short pause', () => {
    expect(read(`${LEAST}runtime: {hot_load: {}}\n`).manifest?.runtime.hotLoad).toEqual({
      watch: ['.'],
      debounceMs: 100,
    })
  })

  it('Q45: says everything that is wrong at once, with its place', () => {
    const { manifest, problems, entrypoint } = read(`name: My Tool
version: 1.10
entrypoint: ../bin/fs
licence: MIT
input_schema: {path: string}
dependencies: [python>=3.8, "!"]
permissions: [filesytem:read]
mcp:
  input_schema: {path: strng}
runtime:
  mode: capsul
  env: {PORT: 8080, DEBUG: true}
  hot_load: {mode: reload}
`)
    expect(manifest).toBeUndefined()
    expect(entrypoint).toBeUndefined()
    expect(problems.map(({ line, column, pointer }) => `${line}:${column} ${pointer}`)).toEqual([
      '1:7 /name',
      '2:10 /version',
      '3:13 /entrypoint',
      '4:1 /licence',
      '5:1 /input_schema',
      '6:29 /dependencies/1',
      '7:15 /permissions/0',
      '9:24 /mcp/input_schema/path',
      '11:9 /runtime/mode',
      '12:15 /runtime/env/PORT',
      '12:28 /runtime/env/DEBUG',
      '13:20 /runtime/hot_load/mode',
      '1:1 ',
    ])
    expect(problems.every(({ severity, file }) => severity === 'error' && file === 'tool.yaml')).toBe(true)
    const hints = problems.map(({ hint }) => hint)
    expect(hints).toContain('put it in quotes: version: "1.10.0"')
    expect(hints).toContain('did you mean `license`?')
    expect(hints).toContain('it belongs below `mcp`')
    expect(hints).toContain('did you mean filesystem:read?')
    expect(hints).toContain('did you mean capsule?')
    expect(hints).toContain('put it in quotes: PORT: "8080"')
    expect(problems.at(-1)?.message).toBe('`description` is missing')
  })

  it.each([
    ['name: fs', 'name: ""', '`name` cannot be "": it is empty'],
    ['name: fs', 'name: "../x"', /^`name` cannot be "\.\.\/x": a name has lower-case/],
    ['name: fs', 'name: -rf', /^`name` cannot be "-rf"/],
    ['name: fs', 'name:', '`name` is empty'],
    ['1.0.0', 'v1.0.0', '`version` must be a version such as 1.0.0, not "v1.0.0"'],
    ['1.0.0', '""', '`version` must be a version such as 1.0.0, not ""'],
    ['Files', '"  "', '`description` must be some words, not "  "'],
    ['bin/fs', '/bin/sh', '`entrypoint` must be a path inside the package, not an absolute one'],
    ['bin/fs', 'C:/x', '`entrypoint` must be a path inside the package, not an absolute one'],
    ['bin/fs', '~/x', '`entrypoint` must be a path inside the package, not an absolute one'],
    ['bin/fs', 'bin/../../x', '`entrypoint` must not leave the package with ..'],
    ['bin/fs', 'bin\\fs', '`entrypoint` must be written with forward slashes'],
    [
      'bin/fs',
      '"bin/\\0fs"',
      '`entrypoint` must be a path inside the package, but has control characters in it',
    ],
    ['bin/fs', '" "', '`entrypoint` must be a path inside the package, but is empty'],
    ['bin/fs', '[bin/fs]', '`entrypoint` must be text, not a list'],
  ])('Q45: %s → %s is refused', (from, to, message) => {
    const { manifest, problems } = read(LEAST.replace(from, to))
    expect(manifest).toBeUndefined()
    expect(problems).toHaveLength(1)
    if (message instanceof RegExp) expect(problems[0]?.message).toMatch(message)
    else expect(problems[0]?.message).toBe(message)
  })

  it.each([
    ['runtime: {hot_load: {watch: [../x]}}\n', '/runtime/hot_load/watch/0'],
    ['hooks: {post_install: /bin/sh}\n', '/hooks/post_install'],
    ['runtime: {env: {"A=B": x}}\n', '/runtime/env/A=B'],
    ['runtime: {args: ["a\\0b"]}\n', '/runtime/args/0'],
    ['runtime: {startup_timeout_ms: 5s}\n', '/runtime/startup_timeout_ms'],
    ['mcp: {input_schema: {type: array, items: {type: string}}}\n', '/mcp/input_schema/type'],
    ['mcp: {input_schema: string}\n', '/mcp/input_schema'],
    ['limits: {memory: lots}\n', '/limits/memory'],
    ['runtime: {x-mine: 1}\n', '/runtime/x-mine'],
    ['author: {name: Ann}\n', '/author'],
  ])('Q45: %j is refused at %s', (more, pointer) => {
    expect(read(LEAST + more).problems.map((problem) => problem.pointer)).toEqual([pointer])
  })

  it('Q38: a byte order mark is told, and does no harm', () => {
    const { manifest, problems } = read(`\uFEFF${LEAST}`)
    expect(manifest?.name).toBe('fs')
    expect(problems).toEqual([
      {
        file: 'tool.yaml',
        line: 1,
        column: 1,
        pointer: '',
        message: 'begins with an invisible byte order mark',
        hint: 'save it as UTF-8 without BOM',
        severity: 'warning',
      },
    ])
  })

  it('Q38: bytes that are not UTF-8, tabs and two of a key are told with their place', () => {
    expect(problemsOf(`${LEAST}author: J\uFFFDrg\n`)).toEqual([
      [5, 'has bytes that are not UTF-8', 'save it as UTF-8'],
    ])
    expect(problemsOf(`${LEAST}mcp:\n\ttitle: x\n`)[0]).toEqual([
      6,
      'a tab is used for indentation',
      'YAML is indented with spaces',
    ])
    expect(problemsOf(`${LEAST}name: b\n`)).toEqual([[5, 'the same key stands twice in one map']])
  })

  it('Q44: warns of keys that a simple tool does not have', () => {
    const { manifest, problems } = read(`${LEAST}runtime: {start: eager, health: {}}\n`)
    expect(manifest?.runtime.mode).toBe('simple')
    expect(problems.map(({ pointer, severity }) => [pointer, severity])).toEqual([
      ['/runtime/start', 'warning'],
      ['/runtime/health', 'warning'],
    ])
  })

  it('gives later problems a place, and paths although something else is wrong', () => {
    const { manifest, entrypoint, problemAt } = read(LEAST.replace('1.0.0', 'x'))
    expect(manifest).toBeUndefined()
    expect(entrypoint).toBe('bin/fs')
    expect(problemAt(['entrypoint'], { message: 'is a folder' })).toMatchObject({ line: 4, column: 13 })
  })

  it('never throws, and never gives a manifest beside an error', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant('1.0.0'))
    const key = fc.constantFrom(...Object.keys(manifestJsonSchema().properties ?? {}), 'x-a', '__proto__', '')
    const value = fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.string(), scalar))
    const garbage = fc.oneof(
      anyText(),
      fc.dictionary(key, value).map((map) => JSON.stringify(map)),
      fc
        .array(fc.tuple(key, value))
        .map((pairs) => pairs.map(([k, v]) => `${k}: ${JSON.stringify(v)}`).join('\n')),
    )
    fc.assert(
      fc.property(garbage, (source) => {
        const { manifest, problems } = read(source)
        const isWrong = problems.some(({ severity }) => severity === 'error')
        expect(manifest === undefined).toBe(isWrong)
        for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThan(0)
      }),
      { numRuns: 500 },
    )
  })

  it('is described to editors', () => {
    const schema = manifestJsonSchema()
    expect(schema.required).toEqual(['name', 'version', 'description', 'entrypoint'])
    expect(schema.patternProperties).toEqual({ '^x-': {} })
    expect(schema.additionalProperties).toBe(false)
  })
})
