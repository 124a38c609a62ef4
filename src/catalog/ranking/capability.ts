import type { Fit } from '../../model/index.ts'

/** Whether one of the capabilities is the one that is wanted, or a kind of it: `pdf.read` of `pdf`. */
export function judgeCapability(capabilities: readonly string[], wanted: string): Fit | undefined {
  const asked = wanted.toLowerCase()
  const all = capabilities.map((one) => one.toLowerCase())
  if (all.includes(asked)) return { value: 1, words: `can \`${wanted}\`` }
  const wider = all.findIndex((one) => one.split(/[^\p{L}\p{N}]+/u).includes(asked))
  const found = capabilities[wider]
  return found === undefined ? undefined : { value: 0.8, words: `can \`${found}\`` }
}
