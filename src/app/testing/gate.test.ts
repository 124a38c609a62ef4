import { expect, it } from 'vitest'
import { httpCandidate, localCandidate, makeSubject, openBench } from '../../../test/testing-kit.ts'
import { testBeforeInstall } from './gate.ts'

const NOWHERE = httpCandidate('http://127.0.0.1:1/')
const GOOD = { good: { name: 'good', input: { message: 'x' }, expected: { message: 'x' } } }
const BAD = { bad: { name: 'bad', input: { message: 'x' }, expected: { message: 'y' } } }
const ECHO = 'printf %s "$1"'

async function against(
  policy: string,
  tests: Parameters<typeof makeSubject>[2],
  way: 'local' | 'http' | 'both',
): Promise<readonly string[]> {
  const { folder, loaded, runtime } = await openBench({ test_on_install: policy })
  const local = localCandidate(folder, ECHO)
  const candidates = { local: [local], http: [NOWHERE], both: [NOWHERE, local] }[way]
  const subject = makeSubject(folder, candidates, tests)
  return testBeforeInstall(subject, loaded, runtime, new AbortController().signal)
}

it('Q105: auto runs the tests that need nothing but this machine', async () => {
  expect(await against('auto', GOOD, 'local')).toEqual([])
  expect(await against('auto', { ...GOOD, ...BAD }, 'local')).toEqual([
    'bad: $.message: expected "y", found "x"',
  ])
  expect(await against('auto', BAD, 'http')).toEqual([])
  expect(await against('auto', BAD, 'both')).toEqual(['bad: $.message: expected "y", found "x"'])
  expect(await against('auto', {}, 'local')).toEqual([])
})

it('Q105: require asks for at least one that passes here', async () => {
  expect(await against('require', GOOD, 'local')).toEqual([])
  expect(await against('require', {}, 'local')).toEqual([expect.stringContaining('no tests')])
  expect(await against('require', GOOD, 'http')).toEqual([expect.stringContaining('over the network')])
})

it('Q105: off runs none', async () => {
  expect(await against('off', BAD, 'local')).toEqual([])
})
