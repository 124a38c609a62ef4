import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const RUN = fileURLToPath(new URL('run.mjs', import.meta.url))
const CAPSULES = fileURLToPath(new URL('capsules.mjs', import.meta.url))

// The full number runs with `npm run chaos`.
it('Q12: nothing survives when the server, a tool or the client is killed at a random moment', () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [RUN, '--trials', '16', '--seconds', '60'], {
    encoding: 'utf8',
  })
  expect(`${stdout}${stderr}`).toMatch(/^\d+ passed, 0 failed$/m)
  expect(status).toBe(0)
}, 180_000)

it('Q80: capsules that are killed, stopped or hung under load fail calls clearly and come back', () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [CAPSULES, '--blows', '40'], {
    encoding: 'utf8',
  })
  expect(`${stdout}${stderr}`).toMatch(/^40 blows, 0 failed$/m)
  expect(status).toBe(0)
}, 180_000)
