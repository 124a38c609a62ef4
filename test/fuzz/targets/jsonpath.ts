import { loadJsonPath } from '../../../src/formats/index.ts'
import type { Json } from '../../../src/model/index.ts'
import { promise, type Target } from '../target.ts'

const jsonPath = await loadJsonPath()
const VALUE: Json = {
  input: {
    text: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
    list: [1, 2, { a: null, b: [true, 'x'] }],
    n: -1.5,
  },
  deep: Array.from({ length: 30 }, (_, index) => ({ index, next: { index, next: [index] } })),
}

/** Paths come from packages: each ends soon, with values or a reason. */
export const jsonPathTarget: Target = {
  name: 'JSONPath',
  mostMs: 500,
  seeds: () =>
    [
      '$.input.list[0,-1:2]',
      '$..next[?@.index > 3 && @.next[0] == 5]',
      "$['input'][?match(@, 'a*!')]",
      '$[?length(@.list) < 9].n',
      '$..*',
      '$[?search(@.text, "(a|b)+c")]',
      '$[?count(@..*) > value($.input.n)]',
    ].map((path) => Buffer.from(path)),
  check(input) {
    const path = input.toString()
    const flaw = jsonPath.check(path)
    const selected = jsonPath.select(path, VALUE)
    if ('problem' in selected) {
      promise(selected.problem.message !== '', 'a refusal has a reason')
      return 'refused'
    }
    promise(flaw === undefined, 'what can be selected with is a path')
    return 'accepted'
  },
}
