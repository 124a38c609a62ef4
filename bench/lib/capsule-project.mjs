import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeTwoTools } from './scratch.mjs'

const PROGRAMS = fileURLToPath(new URL('../programs/', import.meta.url))

export const LANGUAGES = {
  node: { what: 'a Node capsule', command: process.execPath, file: join(PROGRAMS, 'capsule.mjs') },
  python: { what: 'a Python capsule', command: 'python3', file: join(PROGRAMS, 'capsule.py') },
}

const SHELL = `#!/bin/sh
echo '{"jsonrpc":"2.0","method":"orla.hello","params":{"name":"'$1'","version":"1.0.0"}}'
while read -r line; do
  id=\${line#*\\"id\\":}; id=\${id%%,*}
  echo '{"jsonrpc":"2.0","id":'$id',"result":"ok"}'
done
`

/** Capsules of these names, in a language of the table or as shell scripts. */
export function capsuleProject(scratch, language, names) {
  return scratch.project(`capsules-${language}-${names.length}`, (tools) => {
    for (const name of names) writeCapsule(tools, language, name)
  })
}

/** The tools `script` and `binary`, and the capsule `warm`. */
export function everyKind(scratch) {
  return scratch.project('every-kind', (tools) => {
    writeTwoTools(scratch, tools)
    writeCapsule(tools, 'node', 'warm')
  })
}

function writeCapsule(tools, language, name) {
  const folder = join(tools, name)
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'tool.yaml'),
    `name: ${name}\nversion: 1.0.0\ndescription: Warm\nentrypoint: main\nruntime: {mode: capsule, startup_timeout_ms: 60000, args: [${name}]}\n`,
  )
  writeFileSync(join(folder, 'main'), starter(language), { mode: 0o755 })
}

function starter(language) {
  if (language === 'sh') return SHELL
  const { command, file } = LANGUAGES[language]
  return `#!/bin/sh\nexec '${command}' '${file}' "$@"\n`
}
