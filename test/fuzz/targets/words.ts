import { parsePermission, parseRequirement, parseShebang } from '../../../src/formats/index.ts'
import { checkInnerPath } from '../../../src/formats/inner-path.ts'
import { splitCommand } from '../../../src/formats/mcpkg/split-command.ts'
import { OrlaError } from '../../../src/model/index.ts'
import { parseSpec } from '../../../src/packages/index.ts'
import { checkGitUrl } from '../../../src/platform/index.ts'
import { promise, type Target } from '../target.ts'

const seedsOf =
  (...words: readonly string[]) =>
  () =>
    words.map((word) => Buffer.from(word))

/** Single words that people and packages write. */
export const wordTargets: readonly Target[] = [
  {
    name: 'permission word',
    mostMs: 10,
    seeds: seedsOf(
      'filesystem:read:./data',
      'filesystem:write:~/notes/a',
      'filesystem:read:arg:path',
      'network:*.example.com:8443',
      'env:API_KEY',
      'exec:git',
      'socket:/run/service.sock',
    ),
    check(input) {
      const parsed = parsePermission(input.toString())
      if (parsed === undefined || 'problem' in parsed) return 'refused'
      if ((parsed.kind === 'filesystem' || parsed.kind === 'socket') && parsed.path !== null) {
        const { path } = parsed
        const below = 'below' in path ? path.below : path.name
        promise(!below.split('/').includes('..'), 'a path never leads upward')
        promise(!below.includes('\0'), 'a path has no NUL')
        promise(!below.startsWith('/'), 'a path stays below its base')
      }
      if (parsed.kind === 'network' && parsed.host !== null) {
        promise(!/[\s/@\0]/.test(parsed.host), 'a host is a host')
      }
      return 'accepted'
    },
  },
  {
    name: 'path in a package',
    mostMs: 10,
    seeds: seedsOf('bin/tool', 'tests/a.json', 'a'),
    check(input) {
      const path = input.toString()
      if (checkInnerPath(path) !== undefined) return 'refused'
      promise(!path.startsWith('/'), 'it is relative')
      promise(!path.split('/').includes('..'), 'it never leads upward')
      promise(!/[\\\0]/.test(path), 'it means the same everywhere')
      return 'accepted'
    },
  },
  {
    name: 'what to install',
    mostMs: 10,
    seeds: seedsOf('fs', 'fs@v1.0.0', 'own/fs@latest', 'https://example.com/fs.git#v1.0.0', './a.mcpkg'),
    check(input) {
      try {
        const spec = parseSpec(input.toString())
        if (spec.kind === 'name') promise(!/[/\\\0]|^-|\.\./.test(spec.name), 'a name can be a folder')
        return 'accepted'
      } catch (error) {
        promise(error instanceof OrlaError, `it throws ${String(error)}`)
        return 'refused'
      }
    },
  },
  {
    name: 'address for git',
    mostMs: 10,
    seeds: seedsOf(
      'https://example.com/a.git',
      'git@example.com:a/b.git',
      'ssh://git@example.com:22/a',
      '/srv/a.git',
    ),
    check(input) {
      try {
        const { url } = checkGitUrl(input.toString(), '/work')
        promise(!url.startsWith('-'), 'git never takes it for an option')
        promise(!/^[a-z0-9+.-]+::/i.test(url), 'git starts no helper for it')
        promise(!/[\0\n\r]/.test(url), 'it is one line')
        return 'accepted'
      } catch (error) {
        promise(error instanceof OrlaError, `it throws ${String(error)}`)
        return 'refused'
      }
    },
  },
  {
    name: 'command of an implementation',
    mostMs: 10,
    seeds: seedsOf(`node run.js --flag "two words" 'one'`, 'python3 -m tool'),
    check(input) {
      const split = splitCommand(input.toString())
      return 'problem' in split ? 'refused' : 'accepted'
    },
  },
  {
    name: 'requirement',
    mostMs: 10,
    seeds: seedsOf('python>=3.8', 'jq', 'tool:fs>=0.2.0,<2'),
    check: (input) => ('problem' in parseRequirement(input.toString()) ? 'refused' : 'accepted'),
  },
  {
    name: 'shebang',
    mostMs: 10,
    seeds: seedsOf('#!/bin/sh', '#!/usr/bin/env -S python3 -u', '#! /usr/bin/env node --x'),
    check(input) {
      const shebang = parseShebang(input.toString())
      if (shebang === null) return 'refused'
      promise(shebang.interpreter !== '', 'an interpreter has a name')
      return 'accepted'
    },
  },
]
