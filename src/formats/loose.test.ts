import { describe, expect, it } from 'vitest'
import { type LooseFile, looseTool, readOpening } from './loose.ts'
import type { Sidecar } from './sidecar.ts'

const ELF = '\x7fELF\x02\x01\x01\0'
interface WithHead extends LooseFile {
  readonly head: string
}
const found = (relative: string, head = ELF, more: Partial<LooseFile> = {}): WithHead => ({
  path: `/project/tools/${relative}`,
  relative,
  head,
  mode: 0o100755,
  mtimeMs: 1,
  size: head.length,
  ...more,
})
const loose = (file: WithHead, sidecar: Sidecar | null = null, cwd = '/project') =>
  looseTool(file, openingOf(file.head), sidecar, cwd)
const openingOf = (text: string) => readOpening(text, false) ?? expect.unreachable('there is no more to read')

describe('a loose tool', () => {
  it('Q3: runs through the interpreter of its #! line, options kept', () => {
    const { tool, problems } = loose(
      found('greet.py', '#!/usr/bin/env -S python3 -u\n# Greets.\n# @param name {string}\n'),
    )
    expect(problems).toEqual([])
    expect(tool).toMatchObject({
      name: 'greet',
      title: undefined,
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
      written: undefined,
    })
  })

  it('Q3: without a #! line is started itself; nothing declared leaves its input open', () => {
    const { tool } = loose(found('bin/convert'))
    expect(tool?.description).toBe('Runs bin/convert')
    expect(tool?.inputSchema).toBeUndefined()
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
      loose(found('a.sh', head), null, '/elsewhere'),
    ].map(({ tool }) => tool?.digest)
    expect(new Set(digests).size).toBe(digests.length)
    expect(loose(found('a.sh', head)).tool?.digest).toBe(digests[0])
  })
})

describe('the opening of a file', () => {
  it.each([
    ['of a script ends with its first line of code', '#!/bin/sh\n# Greets.\n', 'echo\n'],
    ['of a script without a comment ends with the #! line', '#!/bin/sh\n', 'echo\n'],
    ['of a binary ends where that is certain', `\x7fELF${'\0'.repeat(252)}`, '\0more'],
    ['of a text ends there, too', `\ufeff#!/bin/sh\n${'é'.repeat(300)}`.slice(0, 256), 'é'],
  ])('%s', (_, head, rest) => {
    expect(readOpening(head + rest, true)).toEqual(openingOf(head))
    expect(readOpening(head + rest, false)).toEqual(openingOf(head))
  })

  it('needs more of a file whose comment may go on', () => {
    expect(readOpening('#!/bin/sh\n# Gree', true)).toBeUndefined()
    expect(readOpening('#!/bin/sh\n', true)).toBeUndefined()
    expect(readOpening('#!/bin/s', true)).toBeUndefined()
    expect(openingOf('#!/bin/sh\n# Gree').header.description).toBe('Gree')
  })
})
