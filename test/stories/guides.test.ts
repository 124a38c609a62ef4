import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksOf, readPage, typedLines } from '../guide-kit.ts'
import { connectStdio } from './clients.ts'
import { blocksIn, GUIDES, LONG_GUIDES, NOT_RUN, typeGuide, withoutComment } from './guide-stage.ts'
import { makeProject } from './project.ts'
import { seatTypist } from './typist.ts'

describe('the guides, typed from top to bottom', () => {
  it.each(GUIDES.filter((guide) => !LONG_GUIDES.includes(guide)))('%s', typeGuide)

  it('would fail where a line fails or prints something else', () => {
    const { type, compare } = seatTypist(makeProject())
    expect(() => type('orla call nobody\ntrue')).toThrow('there is no tool')
    expect(() =>
      compare('$ orla grants\nNothing was accepted yet, and nothing waits for it.\n'),
    ).not.toThrow()
    expect(() => compare('$ orla grants\n…\nEverything was accepted.\n')).toThrow('Everything')
    expect(() => compare('$ orla grants\nNothing was accepted yet\n')).toThrow('Nothing was')
  })

  it('what is not run is still there', () => {
    const lines = GUIDES.flatMap(blocksIn).flatMap(typedLines).map(withoutComment)
    expect(Object.keys(NOT_RUN).filter((line) => !lines.includes(line))).toEqual([])
  })

  it.each(['README.md', 'docs/guides/clients.md'])(
    '%s: its entry starts the server of a project',
    async (page) => {
      const project = makeProject()
      await project.orla(['init'])
      const shown = blocksOf(readPage(page)).find(({ language }) => language === 'json')
      const entry = JSON.parse(shown?.text ?? '').mcpServers.orla
      expect(entry.command).toBe('orla')
      expect(entry.args[0]).toBe('--stdio')
      const args = entry.args.slice(1).map((word: string) => word.replace('/path/to/project', project.dir))
      // A client starts it in a folder of its own.
      const client = await connectStdio('v1', { ...project, dir: dirname(project.dir) }, args)
      expect((await client.list()).map(({ name }) => name)).toEqual(['hello'])
    },
  )
})
