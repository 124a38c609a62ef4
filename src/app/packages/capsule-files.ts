import { NODE_HELPER } from './capsule-node.ts'
import { PYTHON_HELPER } from './capsule-python.ts'

interface CapsuleSource {
  /** Relative to the package. A Python file has no extension: `json.py` would hide the module `json`. */
  readonly entrypoint: string
  readonly files: Readonly<Record<string, string>>
  readonly needs: string
  /** Lines of the runtime section. */
  readonly runtime: string
}

/** What differs between a new capsule and a new simple package, by language. */
export function capsuleSource(name: string, language: 'python' | 'node'): CapsuleSource {
  if (language === 'node') {
    const entrypoint = `bin/${name}.mjs`
    return {
      entrypoint,
      files: { [entrypoint]: NODE_PROGRAM, 'bin/orla_capsule.mjs': NODE_HELPER },
      needs: 'node>=20',
      runtime: RUNTIME,
    }
  }
  const entrypoint = `bin/${name}`
  return {
    entrypoint,
    files: { [entrypoint]: PYTHON_PROGRAM, 'bin/orla_capsule.py': PYTHON_HELPER },
    needs: 'python>=3.8',
    // Python would write __pycache__ into the package, and an installed package stays as it was installed.
    runtime: `${RUNTIME}  env: { PYTHONDONTWRITEBYTECODE: "1" }\n`,
  }
}

const RUNTIME = `runtime:
  mode: capsule            # one process that stays, instead of one for each call
  startup_timeout_ms: 5000 # it must have said hello by then
  hot_load:
    watch: [bin]           # a change here restarts it
`

const PYTHON_PROGRAM = `#!/usr/bin/env python3
from orla_capsule import serve

# What is expensive happens here, once: models, connections, caches.
word = "Hello"


def greet(arguments, call):
    return {"greeting": f"{word}, {arguments['name']}!"}


serve(greet)
`

const NODE_PROGRAM = `#!/usr/bin/env node
import { serve } from "./orla_capsule.mjs"

// What is expensive happens here, once: models, connections, caches.
const word = "Hello"

serve(async ({ name }, call) => {
  return { greeting: \`\${word}, \${name}!\` }
})
`
