import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lookAtHost } from './host-programs.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'orla-host-'))
  mkdirSync(join(base, 'bin'))
})
afterEach(() => {
  rmSync(base, { recursive: true, force: true })
})

function program(name: string, body: string): void {
  writeFileSync(join(base, 'bin', name), `#!/bin/sh\n${body}\n`)
  chmodSync(join(base, 'bin', name), 0o755)
}
const look = () =>
  lookAtHost({
    env: { PATH: `${join(base, 'bin')}:/usr/bin:/bin` },
    cwd: base,
    cacheFile: join(base, 'cache/programs.json'),
  })

describe('the programs of a host', () => {
  it('Q113: tells versions, asks each program once and remembers it until the file changes', () => {
    program('frob', `echo asked >> ${join(base, 'log')}; echo "frob 1.2.3"`)
    program('mute', 'exit 1')
    const host = look()
    expect([host.programVersion('frob', false), host.programVersion('none-such', false)]).toEqual([
      null,
      undefined,
    ])
    expect([host.programVersion('frob'), host.programVersion('frob')]).toEqual(['frob 1.2.3', 'frob 1.2.3'])
    expect(look().programVersion('frob')).toBe('frob 1.2.3')
    expect(readFileSync(join(base, 'log'), 'utf8')).toBe('asked\n')
    expect([host.programVersion('mute'), host.programVersion('none-such')]).toEqual([null, undefined])
    program('frob', 'echo frob 2.0.0-of-another-size')
    expect(look().programVersion('frob')).toBe('frob 2.0.0-of-another-size')
  })

  it('Q113: knows which versions of .NET stand behind one program', () => {
    program(
      'dotnet',
      'printf "Microsoft.AspNetCore.App 9.0.1 [/x]\\nMicrosoft.NETCore.App 6.0.36 [/x]\\nMicrosoft.NETCore.App 8.0.11 [/x]\\n"',
    )
    const host = look()
    expect(host.programVersion('net8.0')).toBe('8.0.11')
    expect(host.programVersion('net9.0')).toBeUndefined()
  })

  it('Q113: finds packages of Python where it looks for them, and those of Node beside the project', () => {
    program('python3', `printf '\\n${base}/python.zip\\n${base}/site-packages\\n'`)
    mkdirSync(join(base, 'site-packages/pymupdf-1.24.2.dist-info'), { recursive: true })
    writeFileSync(join(base, 'python.zip'), '')
    program('node', 'exit 1')
    mkdirSync(join(base, 'node_modules/pdfjs-dist'), { recursive: true })
    writeFileSync(join(base, 'node_modules/pdfjs-dist/package.json'), '{"version":"4.0.0"}')
    const host = look()
    expect(host.packageVersion('python3', 'PyMuPDF')).toBe('1.24.2')
    expect(host.packageVersion('python3', 'other')).toBeUndefined()
    expect(host.packageVersion('node', 'pdfjs-dist')).toBe('4.0.0')
    expect(host.packageVersion('node', 'none-such')).toBeUndefined()
  })
})
