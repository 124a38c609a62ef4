import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { readCommentBlock } from './comment-block.ts'
import { parseHeaderComment } from './header-comment.ts'

const script = (...lines: string[]) => lines.join('\n')
const descriptionOf = (...lines: string[]) => parseHeaderComment(script(...lines)).description

describe('the description of a loose tool', () => {
  it.each<[string, string[]]>([
    ['#', ['#!/bin/sh', '# Says hello', '# to you.', '', 'echo hello']],
    ['## and indentation', ['#!/bin/sh', '  ##   Says hello', '  ##   to you.', 'echo hello']],
    ['//', ['#!/usr/bin/env node', '// Says hello', '// to you.', 'console.log(1)']],
    ['/* */', ['#!/usr/bin/env node', '/* Says hello', '   to you. */', 'console.log(1)']],
    ['/** */', ['#!/usr/bin/env node', '/**', ' * Says hello', ' * to you.', ' */', 'console.log(1)']],
    ['--', ['#!/usr/bin/env lua', '-- Says hello', '-- to you.', 'print(1)']],
    ['--[[ ]]', ['#!/usr/bin/env lua', '--[[ Says hello', '     to you. ]]', 'print(1)']],
    [';', ['#!/usr/bin/env guile', ';; Says hello', ';; to you.', '(display 1)']],
    ['%', ['#!/usr/bin/env escript', '%%! -smp enable', '%% Says hello', '%% to you.', 'main(_) -> ok.']],
    ['"""', ['#!/usr/bin/env python3', '"""Says hello', 'to you."""', 'print(1)']],
    ["'''", ['#!/usr/bin/env python3', "r'''", '   Says hello', '   to you.', "'''", 'print(1)']],
    ['no #! line', ['# Says hello', '# to you.', 'echo hello']],
    ['CR LF', ['#!/bin/sh\r', '# Says hello\r', '# to you.\r', 'echo hello\r']],
  ])('is read from a comment written with %s', (_style, lines) => {
    expect(descriptionOf(...lines)).toBe('Says hello to you.')
  })

  it.each<[string, string[]]>([
    ['an encoding line', ['#!/usr/bin/env python3', '# -*- coding: utf-8 -*-', '"""Says hello."""']],
    ["'use strict'", ['#!/usr/bin/env node', "'use strict';", '', '// Says hello.']],
    ['a blank line', ['#!/bin/sh', '', '# Says hello.']],
    ['a linter directive', ['#!/bin/sh', '# shellcheck disable=SC2086', '# Says hello.']],
    [
      'a licence',
      ['#!/bin/sh', '# Copyright (c) 2024 Someone', '# SPDX-License-Identifier: MIT', '#', '# Says hello.'],
    ],
    [
      'a licence in a block of its own',
      [
        '#!/bin/sh',
        '# Copyright 2024 Someone',
        '# Licensed under the MIT licence,',
        '# see LICENSE.',
        '',
        '# Says hello.',
      ],
    ],
    [
      'script metadata',
      [
        '#!/usr/bin/env -S uv run --script',
        '# /// script',
        '# dependencies = ["rich"]',
        '# ///',
        '',
        '"""Says hello."""',
      ],
    ],
    ['<?php', ['#!/usr/bin/env php', '<?php', '/** Says hello. */']],
    ['a ruler', ['#!/bin/sh', '#####################', '# Says hello.', '# -----------------']],
    ['an editor line below', ['#!/bin/sh', '# Says hello.', '# vim: set ts=2:']],
  ])('passes over %s', (_what, lines) => {
    expect(descriptionOf(...lines)).toBe('Says hello.')
  })

  it.each([
    'Copyright checker for this repository.',
    'Type the text and see.',
    'Shellcheck for all scripts.',
    'Ex: hello',
  ])('keeps words that only look like a notice: %s', (text) => {
    expect(descriptionOf('#!/bin/sh', `# ${text}`)).toBe(text)
  })

  it.each<[string, string[]]>([
    ['there is none', ['#!/bin/sh', 'echo hello', '# not this one']],
    ['the file ends', ['#!/bin/sh']],
    ['the file is empty', ['']],
    ['it is a preprocessor line', ['#include <stdio.h>', '// not this one']],
    ['it is only a licence', ['#!/bin/sh', '# SPDX-License-Identifier: MIT', 'echo']],
    ['it holds NUL', ['#!/bin/sh', '# a\0b']],
  ])('is absent when %s', (_why, lines) => {
    expect(parseHeaderComment(script(...lines))).toEqual({ problems: [] })
  })

  it('ends with the comment block', () => {
    expect(descriptionOf('#!/bin/sh', '# This.', '', '# Not this.')).toBe('This.')
    expect(descriptionOf('#!/usr/bin/env python3', '# This.', '"""Not this."""')).toBe('This.')
  })

  it('joins lines into paragraphs and leaves lists and examples alone', () => {
    const text = descriptionOf(
      '#!/bin/sh',
      '# Finds files',
      '# by name.',
      '#',
      '# Looks in:',
      '# - here',
      '# - there',
      '#   find x',
      '# and',
      '# elsewhere.',
    )
    expect(text).toBe('Finds files by name.\n\nLooks in:\n- here\n- there\n  find x\nand elsewhere.')
  })

  it('is cut at a word when it is very long', () => {
    const long = descriptionOf('#!/bin/sh', `# ${'word '.repeat(2_000)}`) ?? ''
    expect(long.length).toBeLessThanOrEqual(4_000)
    expect(long.endsWith('word…')).toBe(true)
    const unbroken = descriptionOf('#!/bin/sh', `# ${'😀'.repeat(4_000)}`) ?? ''
    // Half of a surrogate pair cannot be encoded.
    expect(() => encodeURIComponent(unbroken)).not.toThrow()
    expect(unbroken.length).toBeLessThanOrEqual(4_000)
  })

  it('takes @title and @description, and leaves other tags out', () => {
    const header = parseHeaderComment(
      script(
        '/**',
        ' * Greets.',
        ' * @title Greeter',
        ' * @returns {string} nothing',
        ' *   of interest',
        ' * @author A',
        ' * @description Politely.',
        ' */',
      ),
    )
    expect(header).toEqual({ title: 'Greeter', description: 'Greets.\n\nPolitely.', problems: [] })
  })
})

describe('the parameters of a loose tool', () => {
  const schemaOf = (...params: string[]) => {
    const header = parseHeaderComment(script('#!/bin/sh', ...params.map((param) => `# @param ${param}`)))
    expect(header.problems).toEqual([])
    return header.inputSchema
  }

  it('become an object schema that allows nothing else', () => {
    expect(
      schemaOf('name {string} who to greet', '[count=3] {integer} how often', '[loud] {boolean}'),
    ).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'who to greet' },
        count: { type: 'integer', description: 'how often', default: 3 },
        loud: { type: 'boolean' },
      },
      required: ['name'],
      additionalProperties: false,
    })
  })

  it.each([
    ['{string} name who', { type: 'string', description: 'who' }],
    ['name who', { type: 'string', description: 'who' }],
    ['{string} name - who', { type: 'string', description: 'who' }],
    ['name {String}', { type: 'string' }],
    ['name {string[]} who', { type: 'array', items: { type: 'string' }, description: 'who' }],
    ['name {(a|b)[]}', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }],
    ['name {red|green}', { type: 'string', enum: ['red', 'green'] }],
    ['name {"a b"|c}', { type: 'string', enum: ['a b', 'c'] }],
    ['name {1|2}', { type: 'integer', enum: [1, 2] }],
    ['name {string|null}', { type: ['string', 'null'] }],
    ['name {object}', { type: 'object' }],
    ['name {any}', {}],
    ['[name=x y] {string} who', { type: 'string', default: 'x y', description: 'who' }],
    ['[name="x ] y"] {string}', { type: 'string', default: 'x ] y' }],
    ["[name=don't] {string}", { type: 'string', default: "don't" }],
    ['[name=] {string}', { type: 'string', default: '' }],
    ['[name=12] {string}', { type: 'string', default: '12' }],
    ['{number} [name=1.5] who', { type: 'number', default: 1.5, description: 'who' }],
    ['[name=true] {boolean}', { type: 'boolean', default: true }],
    ['[name=["a", "b]"]] {string[]}', { type: 'array', items: { type: 'string' }, default: ['a', 'b]'] }],
    ['[name={"a": [1]}] {object}', { type: 'object', default: { a: [1] } }],
    ['[name=green] {red|green}', { type: 'string', enum: ['red', 'green'], default: 'green' }],
    ['[name=2] {1|2}', { type: 'integer', enum: [1, 2], default: 2 }],
    ['[name=null] {string|null}', { type: ['string', 'null'], default: null }],
    ['[name=words] {string|null}', { type: ['string', 'null'], default: 'words' }],
    ['[name=words] {any}', { default: 'words' }],
  ])('are written as @param %s', (param, expected) => {
    expect(schemaOf(param)?.properties).toEqual({ name: expected })
  })

  it('may go on over lines, up to a blank line or the next tag', () => {
    const header = parseHeaderComment(
      script(
        '"""Greets.',
        '',
        '@param name {string} who',
        '    to greet',
        '@param other {string} b',
        '',
        'Politely.',
        '"""',
      ),
    )
    expect(header.description).toBe('Greets.\n\nPolitely.')
    expect(header.inputSchema?.properties).toEqual({
      name: { type: 'string', description: 'who to greet' },
      other: { type: 'string', description: 'b' },
    })
  })

  it('include the reserved args and stdin when declared', () => {
    expect(schemaOf('[args] {string[]} words', 'stdin {string} text')?.required).toEqual(['stdin'])
  })

  it.each([
    ['', 'this @param has no name'],
    ['{string}', 'this @param has no name'],
    ['{string name', 'the type of this @param is not closed with }'],
    ['[name {string}', 'the name of this @param is not closed with ]'],
    ['name {string what', 'the type of `name` is not closed with }'],
    ['a.b {string}', '`a.b` cannot be the name of a @param'],
    ['--flag {string}', '`--flag` cannot be the name of a @param'],
    ['name {strng} what', '`name` has the unknown type {strng}'],
    ['name {a||b}', '`name` has the unknown type {a||b}'],
    ['[name=many] {integer}', 'the default of `name` does not fit its type: many'],
    ['[name=1.5] {integer}', 'the default of `name` does not fit its type: 1.5'],
    ['[name=blue] {red|green}', 'the default of `name` does not fit its type: blue'],
    ['[name=a,b] {string[]}', 'the default of `name` does not fit its type: a,b'],
    ['stdin {number}', '`stdin` is the text for standard input'],
    ['args {string}', '`args` is the list of positional words'],
  ])('that cannot be read are a problem with its line: @param %s', (param, message) => {
    const header = parseHeaderComment(script('#!/bin/sh', '# Greets.', '#', `# @param ${param}`))
    expect(header.problems).toEqual([{ line: 4, message, hint: expect.any(String) }])
    expect(header.inputSchema).toBeUndefined()
    expect(header.description).toBe('Greets.')
  })

  it('leave room for others when one of them cannot be read', () => {
    const header = parseHeaderComment(
      script('# @param good {string}', '# @param bad {strng}', '# @param good {number}'),
    )
    expect(header.problems.map((problem) => problem.line)).toEqual([2, 3])
    expect(header.inputSchema).toMatchObject({
      properties: { good: { type: 'string' } },
      additionalProperties: true,
    })
  })

  it('named like something every object has stay ordinary names', () => {
    const properties = schemaOf('__proto__ {string}', 'constructor {string}')?.properties
    expect(Object.keys(properties ?? {})).toEqual(['__proto__', 'constructor'])
  })
})

describe('reading a header', () => {
  it('says how much of the text it needed', () => {
    const comment = '#!/bin/sh\n# Says hello.\n'
    expect(readCommentBlock(`${comment}echo hello\n`).end).toBe(comment.length)
    expect(readCommentBlock(`${comment}# and more`).end).toBe(comment.length + 10)
    expect(readCommentBlock('\x7fELF\0\0').end).toBe(0)
    expect(readCommentBlock('/* never closed\nx\n').end).toBe(18)
  })

  it('never throws, needs no more than it says, and stays fast', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '#',
        '//',
        '/*',
        '*/',
        '"""',
        "'''",
        '--[[',
        ']]',
        '@param ',
        '{',
        '}',
        '[',
        ']',
        '=',
        '"',
        '|',
        '\n',
        '\r\n',
        ' ',
        'name',
        '{string}',
        '@title',
        '\0',
        '/// script',
        'Copyright 2020',
        '* ',
      ),
      anyText({ maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const text = pieces.join('')
        const { end } = readCommentBlock(text)
        expect(end).toBeLessThanOrEqual(text.length)
        const header = parseHeaderComment(text)
        expect(parseHeaderComment(text.slice(0, end))).toEqual(header)
        for (const problem of header.problems) expect(problem.line).toBeGreaterThan(0)
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    '@param ['.repeat(2_000),
    '@param {"'.repeat(2_000),
    `@param x${' '.repeat(16_000)}x`,
    '-*-'.repeat(5_000),
    '{'.repeat(16_000),
  ])('is not slowed down by hostile text %#', (text) => {
    const begun = performance.now()
    parseHeaderComment(`#!/bin/sh\n# ${text}`)
    expect(performance.now() - begun).toBeLessThan(2_000)
  })
})
