import { describe, expect, it } from 'vitest'
import { parseSpec } from './spec.ts'

const refusal = (word: string) => {
  try {
    parseSpec(word)
  } catch (error) {
    return error as { message: string; hint: string }
  }
  throw new Error(`${word} was taken`)
}

describe('what is asked for', () => {
  it.each(['/opt/fs', './fs', '../fs', '.', '..', '~/fs', 'c:\\\\fs', 'fs.zip', 'dist/fs.tar.gz'])(
    'Q57: %s is a path',
    (word) => {
      const { message, hint } = refusal(word)
      expect(message).toMatch(/is a path, not the name of a package/)
      expect(hint).toContain(`--local ${word}`)
    },
  )

  it('Q57: a path with a version is told to be written as an address', () => {
    expect(refusal('/opt/fs#v1.0.0').hint).toMatch(/write file:\/\/\/opt\/fs#v1\.0\.0$/)
    expect(refusal('./fs#v1.0.0').hint).toMatch(/write file:\/\/\/PATH#v1\.0\.0$/)
  })

  it('Q60: a version without v is spelled as it was asked', () => {
    expect(refusal('fs@1.0.0').hint).toBe('type fs@v1.0.0')
    expect(refusal('https://ada:x@git.example.com/fs#1.0.0').hint).toBe(
      'type https://git.example.com/fs#v1.0.0',
    )
  })

  it('Q57: host:path is an ssh address, with and without a user', () => {
    expect(parseSpec('git.example.com:team/fs')).toEqual({ kind: 'git', url: 'git.example.com:team/fs' })
    expect(parseSpec('git@git.example.com:team/fs#v1.0.0')).toEqual({
      kind: 'git',
      url: 'git@git.example.com:team/fs',
      tag: 'v1.0.0',
    })
  })

  it('Q104: an .mcpkg is a file, a URL with or without its checksum, or a toolId', () => {
    expect(parseSpec('./echo.mcpkg')).toEqual({ kind: 'local', path: './echo.mcpkg' })
    expect(parseSpec('dist/demo.echo-0.1.0.mcpkg')).toEqual({
      kind: 'local',
      path: 'dist/demo.echo-0.1.0.mcpkg',
    })
    const url = 'https://example.com/echo.mcpkg'
    expect(parseSpec(url)).toEqual({ kind: 'download', url })
    const sha256 = 'a'.repeat(64)
    expect(parseSpec(`${url}#sha256=${sha256.toUpperCase()}`)).toEqual({ kind: 'download', url, sha256 })
    expect(refusal(`${url}#sha256=12`).message).toMatch(/64 hexadecimal digits/)
    expect(parseSpec('main/demo.echo@v0.1.0')).toEqual({
      kind: 'name',
      registry: 'main',
      name: 'demo.echo',
      tag: 'v0.1.0',
    })
    expect(refusal('demo..echo').message).toMatch(/cannot be the name of a package/)
  })
})
