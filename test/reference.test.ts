import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../src/cli/commands.ts'
import { helpFor, TOPICS } from '../src/cli/help.ts'
import { configJsonSchema, manifestJsonSchema, SETTINGS } from '../src/formats/index.ts'
import { ERRORS } from '../src/model/index.ts'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

// Generated pages: `npx vitest run test/reference.test.ts -u` writes them anew.
describe('the reference', () => {
  it('describes every command as its help does', async () => {
    const shown = COMMANDS.filter((command) => !command.hidden)
    const commands = shown.map((command) => `## orla ${command.name}\n\n${fence(helpFor(command))}`)
    const topics = Object.entries(TOPICS).map(([name, text]) => `## orla help ${name}\n\n${fence(text)}`)
    const page = `# Commands\n\nGenerated from the table of commands.\n\n${[...commands, ...topics].join('\n\n')}\n`
    await expect(page).toMatchFileSnapshot(join(ROOT, 'docs/reference/commands.md'))
  })

  it('describes every setting', async () => {
    const rows = SETTINGS.map(({ key, env, shape, fallback }) => {
      const value = shape.written && fallback !== null ? shape.written(fallback) : fallback
      const written = typeof value === 'string' ? value : JSON.stringify(value)
      return `| \`${key}\` | ${value === null ? '–' : `\`${written}\``} | \`${env}\` | ${shape.about} |`
    })
    const page = [
      '# Configuration',
      '',
      'Generated from the table of settings. Layers, each over the one below: flags, `ORLA_` variables, `orla.yaml`',
      '(the nearest upward, or `--config FILE`), `~/.orla/config.yaml`, defaults. Paths are relative to the file that',
      'says them. Times are seconds or `30s`, `500ms`, `2m`; sizes are bytes or `256MiB`, `10MB`. Unknown keys are errors.',
      '`orla config` shows what is in force and where it came from.',
      '',
      '| key | default | variable | meaning |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
    ].join('\n')
    await expect(page).toMatchFileSnapshot(join(ROOT, 'docs/reference/configuration.md'))
  })

  it('ships the JSON Schema of orla.yaml', async () => {
    const schema = `${JSON.stringify(configJsonSchema(), null, 2)}\n`
    await expect(schema).toMatchFileSnapshot(join(ROOT, 'schemas/orla.schema.json'))
  })

  it('ships the JSON Schema of tool.yaml', async () => {
    const schema = `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`
    await expect(schema).toMatchFileSnapshot(join(ROOT, 'schemas/tool.schema.json'))
  })

  it('has a section for every error code, with its exit status', () => {
    const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')
    for (const [code, { exit }] of Object.entries(ERRORS)) expect(page).toContain(`## ${code}\nExit ${exit}`)
    expect(page.match(/^## E_/gm)).toHaveLength(Object.keys(ERRORS).length)
  })
})

function fence(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``
}
