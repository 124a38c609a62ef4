// `npm run fuzz -- [--seconds 60] [--seed N] [--target NAME]`: inputs nobody would write, for as long as you like.
// What breaks a promise is kept in test/fuzz/seeds and is part of the tests from then on.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    target: { type: 'string' },
  },
})
const { status } = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', 'test/fuzz'], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    ORLA_FUZZ_SECONDS: values.seconds,
    ORLA_FUZZ_SEED: values.seed,
    ...(values.target && { ORLA_FUZZ_TARGET: values.target }),
  },
})
process.exitCode = status ?? 1
