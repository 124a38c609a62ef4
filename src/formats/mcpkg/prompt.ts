import { findHiddenIn, type Prompt } from '../../model/index.ts'
import { compact } from '../compact.ts'
import { hiddenMessage } from '../hidden-problems.ts'
import { type PlacedProblem, refuse } from '../placed.ts'
import { bool, list, object, required, text, words } from '../shape.ts'
import type { ReadYaml } from '../yaml.ts'

/** What stands between the two lines of `---` at the top of a prompt. */
const FRONT_MATTER = object('What a prompt is', {
  name: text('Name of the prompt; otherwise that of its file', {
    pattern: /^[A-Za-z0-9_-]{1,64}$/,
    expected: 'a name of letters, digits, _ and -',
  }),
  title: words('Name for people'),
  description: words('What it is for'),
  arguments: list(
    'What it asks for',
    object('An argument', {
      name: required(text('Name, as in {{name}}', { pattern: /^[A-Za-z0-9_-]{1,64}$/, expected: 'a name' })),
      description: words('What it means'),
      required: bool('It cannot be left out'),
    }),
  ),
})

export interface PromptReading {
  /** Absent when it cannot be used; a problem says why. */
  readonly prompt?: Prompt
  readonly problems: readonly PlacedProblem[]
}

/** One file of prompts/: an optional head of YAML, then text with places such as `{{name}}`. */
export function readPrompt(source: string, file: string, owner: string, readYaml: ReadYaml): PromptReading {
  const [whole = '', head] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m.exec(source) ?? []
  const isHead = head !== undefined && source.startsWith(whole)
  const body = (isHead ? source.slice(whole.length) : source).trim()
  const { value = {}, problems } = isHead
    ? readYaml(`\n${head}`, file, FRONT_MATTER)
    : { value: undefined, problems: [] }
  if (problems.length > 0) return { problems }
  const hidden = findHiddenIn({ ...value, body })
  if (hidden) return { problems: refuse(file, [{ message: hiddenMessage(hidden) }]).problems }
  const name =
    value.name ?? (file.split('/').at(-1) ?? '').replace(/\.md$/, '').replace(/[^A-Za-z0-9_-]+/g, '_')
  const declared = value.arguments ?? []
  const used = new Set([...body.matchAll(/\{\{\s*([A-Za-z0-9_-]+)\s*\}\}/g)].map(([, one = '']) => one))
  const silent = [...used].filter((one) => !declared.some((argument) => argument.name === one))
  const prompt = compact<Prompt>({
    name: `${owner}.${name}`,
    title: value.title,
    description: value.description,
    arguments: [
      ...declared.map((one) =>
        compact<Prompt['arguments'][number]>({
          name: one.name,
          description: one.description,
          required: one.required ?? false,
        }),
      ),
      // A place that nobody declared still has to be filled.
      ...silent.map((one) => ({ name: one, required: true })),
    ],
    text: body,
  })
  return { prompt, problems: [] }
}
