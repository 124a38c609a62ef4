import { describe, expect, it } from 'vitest'
import { headEnd, type LooseFile, readLoose } from './loose.ts'
import type { Sidecar } from './sidecar.ts'

const ELF = '\x7fELF\x02\x01\x01\0'
const found = (relative: string, head = ELF, more: Partial<LooseFile> = {}): LooseFile => ({
  path: `/project/tools/${relative}`,
  relative,
  head,
  mode: 0o100755,
  mtimeMs: 1,
  size: head.length,
  ...more,
})
const loose = (file: LooseFile, sidecar: Sidecar | null = null) => readLoose(file, sidecar, '/project')

describe('a loose tool', () => {
  it('Q3: runs through the interpreter of its #! line, options kept', () => {
    const { tool, problems } = loose(
      found('greet.py', '#!/usr/bin/env -S python3 -u\n# Greets.\n# @param name {string}\n'),
    )
    expect(problems).toEqual([])
    expect(tool).toEqual({
      name: 'greet',
      version: '0.0.0',
      description: 'Greets.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
        additionalProperties: false,
      },
      origin: { kind: 'loose', file: '/project/tools/greet.py' },
      run: {
        kind: 'spawn',
        command: {
          file: 'python3',
          args: ['-u', '/project/tools/greet.py'],
          cwd: '/project',
          script: '/project/tools/greet.py',
        },
      },
      digest: expect.any(String),
    })
  })

  it('Q3: without a #! line is started itself; nothing declared leaves its input open', () => {
    const { tool } = loose(found('bin/convert'))
    expect(tool?.description).toBe('Runs bin/convert')
    expect(tool && 'inputSchema' in tool).toBe(false)
    expect(tool?.run).toMatchObject({ command: { file: '/project/tools/bin/convert', args: [] } })
  })

  it.each([
    ['ls.sh', 'ls'],
    ['convert', 'convert'],
    ['archive.tar.gz', 'archive.tar'],
    ['sub/ls.sh', 'ls'],
    ['-x.sh', '-x'],
    ['README.MD', 'README'],
    ['trailing.', 'trailing'],
  ])('Q2: %s is named after its file without extension', (file, name) => {
    expect(loose(found(file)).tool?.name).toBe(name)
  })

  it.each(['two words.sh', 'grüße.sh', 'line\nbreak.sh', 'red\u001b[31m.sh', `${'x'.repeat(129)}.sh`])(
    'is a problem when its name is outside the grammar: %j',
    (file) => {
      const { tool, problems } = loose(found(file))
      expect(tool).toBeUndefined()
      expect(problems).toEqual([
        {
          file: `/project/tools/${file}`,
          message: expect.stringMatching(/^[\x20-\x7e\u00a0-\uffff]+$/),
          hint: expect.any(String),
        },
      ])
    },
  )

  it.each([
    ['#!/bin/sh\r\necho\r\n', 'Windows line endings'],
    ['#!\necho\n', 'names no interpreter'],
    ['#!/usr/bin/env\necho\n', 'names no interpreter'],
    ['\ufeff#!/bin/sh\necho\n', 'byte order mark'],
  ])('Q3: is a problem when its #! line cannot work: %j', (head, message) => {
    const { tool, problems } = loose(found('a.sh', head))
    expect(tool).toBeUndefined()
    expect(problems).toMatchObject([{ line: 1, message: expect.stringContaining(message) }])
    expect(problems[0]?.hint).toBeTruthy()
  })

  it('is served with a problem when a @param cannot be read', () => {
    const { tool, problems } = loose(found('a.sh', '#!/bin/sh\n# @param a {strng}\n'))
    expect(tool?.name).toBe('a')
    expect(problems).toMatchObject([{ file: '/project/tools/a.sh', line: 2 }])
  })

  it('Q18: obeys its sidecar before its comment', () => {
    const head = '#!/bin/sh\n# Greets.\n# @title Greeter\n# @param a {strng}\n'
    const { tool, problems } = loose(found('greet.sh', head), {
      description: 'Says hello. ',
      mcp: {
        title: 'Hello',
        input_schema: { type: 'object' },
        output_schema: { type: 'object' },
        annotations: { readOnlyHint: true },
        icons: [{ src: 'a.png' }],
        _meta: { team: 'a' },
      },
      runtime: { env: { LANG: 'C' }, args: ['--fast'], timeout: 500 },
    })
    expect(problems).toEqual([])
    expect(tool).toMatchObject({
      title: 'Hello',
      description: 'Says hello.',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
      icons: [{ src: 'a.png' }],
      meta: { team: 'a' },
      run: {
        timeoutMs: 500,
        command: { file: '/bin/sh', args: ['/project/tools/greet.sh', '--fast'], env: { LANG: 'C' } },
      },
    })
  })

  it('keeps what its comment says where the sidecar says nothing', () => {
    const { tool } = loose(found('greet.sh', '#!/bin/sh\n# Greets.\n# @param a {string}\n'), {
      mcp: { title: 'Hello' },
    })
    expect(tool).toMatchObject({ title: 'Hello', description: 'Greets.', inputSchema: { required: ['a'] } })
  })

  it('has a digest that changes with anything that matters', () => {
    const head = '#!/bin/sh\n# Greets.\n'
    const digests = [
      loose(found('a.sh', head)),
      loose(found('b.sh', head)),
      loose(found('a.sh', head, { mtimeMs: 2 })),
      loose(found('a.sh', head, { size: 999 })),
      loose(found('a.sh', head, { mode: 0o100711 })),
      loose(found('a.sh', '#!/bin/sh\n# Greats.\n')),
      loose(found('a.sh', head), { runtime: { args: ['x'] } }),
      readLoose(found('a.sh', head), null, '/elsewhere'),
    ].map(({ tool }) => tool?.digest)
    expect(new Set(digests).size).toBe(digests.length)
    expect(loose(found('a.sh', head)).tool?.digest).toBe(digests[0])
  })
})

describe('headEnd', () => {
  it('needs a script up to its first line of code, and of anything else what tells it is a binary', () => {
    expect(headEnd('#!/bin/sh\n# Greets.\necho\n')).toBe(20)
    expect(headEnd('#!/bin/sh\necho\n')).toBe(10)
    expect(headEnd('\x7fELF\0\0\n# x\n')).toBe(11)
    expect(headEnd(`\x7fELF${'\0'.repeat(9_000)}`)).toBe(256)
    expect(headEnd('\ufeff#!/bin/sh\necho')).toBe(11)
    expect(headEnd('\xef\xbb\xbf#!/bin/sh\necho')).toBe(13)
  })
})
