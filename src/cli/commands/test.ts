import { runTests } from '../../app/index.ts'
import { escapeControls } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'

export const testCommand: Handler = async (input, { world, printer }) => {
  const { name, outcomes } = await runTests(world, configRequest(input), input.positionals[0] ?? '.')
  const failed = outcomes.filter(({ failures }) => failures.length > 0).length
  const passed = outcomes.length - failed
  if (input.flag('json')) {
    const tests = outcomes.map((one) => ({
      tool: name,
      name: one.name,
      status: one.failures.length === 0 ? 'passed' : 'failed',
      ms: Math.round(one.ms),
      failures: one.failures,
    }))
    printer.json({ tests, passed, failed })
    return failed === 0 ? 0 : 1
  }
  for (const one of outcomes) {
    const ok = one.failures.length === 0
    printer.data(
      `${ok ? printer.paint('green', '✓') : printer.paint('red', '✗')} ${escapeControls(one.name)}`,
    )
    for (const failure of one.failures) printer.data(`    ${escapeControls(failure)}`)
  }
  printer.data(outcomes.length === 0 ? `${name} has no tests` : `${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
