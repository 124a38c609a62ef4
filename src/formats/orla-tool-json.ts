import { hiddenProblems } from './hidden-problems.ts'
import { normalInnerPath } from './inner-path.ts'
import { readJson } from './json.ts'
import { encodingProblems, type ManifestReading, toManifest } from './manifest.ts'
import { IDENTITY_FIELDS, RUNTIME_FIELDS } from './manifest-shape.ts'
import { hasErrors } from './placed.ts'
import { object, text, words } from './shape.ts'

/** orla-tool.json of RFC 2. It always describes a capsule. RFC 2 says nothing about further keys. */
const ORLA_TOOL = object(
  'What a capsule is and how it is run',
  {
    ...IDENTITY_FIELDS,
    description: words('What the tool does'),
    language: text('What it is written in; it never changes how the tool is run'),
    ...RUNTIME_FIELDS,
  },
  { open: true },
)

/** The same manifest as from tool.yaml, with one warning that the format is an old one. */
export function readOrlaToolJson(source: string, file: string): ManifestReading {
  const reading = readJson(source, file, ORLA_TOOL)
  const { value, problemAt } = reading
  const deprecated = problemAt([], {
    message: 'orla-tool.json is deprecated',
    hint: 'write a tool.yaml; the keys of orla-tool.json go below `runtime`',
    severity: 'warning',
  })
  const problems = [
    deprecated,
    ...encodingProblems(source, reading),
    ...reading.problems,
    ...hiddenProblems(value, problemAt),
  ]
  if (value === undefined || hasErrors(problems)) {
    const entrypoint = value?.entrypoint
    return {
      problems,
      problemAt,
      ...(entrypoint === undefined ? {} : { entrypoint: normalInnerPath(entrypoint) }),
    }
  }
  const { name, version, entrypoint, description = `Runs ${entrypoint}`, language, ...runtime } = value
  const manifest = toManifest({
    name,
    version,
    description,
    entrypoint,
    ...(language === undefined ? {} : { language }),
    runtime: { mode: 'capsule', ...runtime },
  })
  return { manifest, problems, problemAt, entrypoint: manifest.entrypoint }
}
