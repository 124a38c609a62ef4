import { join, relative, resolve } from 'node:path'
import { configJsonSchema } from '../formats/index.ts'
import { OrlaError } from '../model/index.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from '../platform/index.ts'
import type { World } from './world.ts'

/** Writes what a new project needs. Files that are already there are kept as they are. */
export function initProject(
  world: World,
  where: string,
): { folder: string; written: string[]; kept: string[] } {
  const folder = resolve(world.cwd, where)
  const written: string[] = []
  const kept: string[] = []
  for (const { path, content, mode } of files()) {
    const file = join(folder, path)
    const shown = relative(world.cwd, file) || path
    try {
      if (readTextIfThere(file) !== undefined) {
        kept.push(shown)
        continue
      }
      makeFolder(resolve(file, '..'))
      writeFileAtomic(file, content, mode)
      written.push(shown)
    } catch (error) {
      if (error instanceof OrlaError) throw error
      throw new OrlaError('E_FILE', `cannot write ${file}: ${(error as Error).message}`, { cause: error })
    }
  }
  return { folder, written, kept }
}

function files() {
  return [
    { path: 'orla.yaml', content: ORLA_YAML, mode: 0o644 },
    { path: 'tools/hello.sh', content: HELLO, mode: 0o755 },
    {
      path: '.orla/orla.schema.json',
      content: `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
      mode: 0o644,
    },
  ]
}

const ORLA_YAML = `# yaml-language-server: $schema=.orla/orla.schema.json
# Settings of Orla. Every line is optional; these are the defaults.
# \`orla config\` shows what is in force and where it came from.

# tools_dir: ./tools      # every executable in here is a tool
# port: 8080
# timeout: 30             # seconds a call may take
# log_format: json        # or pretty
# log_level: info         # debug, info, warn, error, fatal
`

const HELLO = `#!/bin/sh
# Says hello to someone. A sample: change it, or put any executable beside it.
# @param name {string} who to greet
# @param [shout=false] {boolean} in capitals

while [ $# -gt 1 ]; do
  case $1 in
    --name) name=$2 ;;
    --shout) shout=$2 ;;
  esac
  shift 2
done

if [ "$shout" = true ]; then
  echo "Hello, $name!" | tr '[:lower:]' '[:upper:]'
else
  echo "Hello, $name!"
fi
`
