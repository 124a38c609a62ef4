import type { Json, Tool } from '../model/index.ts'

/** The command that gives a tool everything it must be given; undefined where that is nothing, or cannot be written as words. */
export function wayToCall(
  program: string,
  { name, inputSchema }: Pick<Tool, 'name' | 'inputSchema'>,
): string | undefined {
  const required = inputSchema?.required
  if (!Array.isArray(required) || required.length === 0) return undefined
  const isPlain = (key: Json) => typeof key === 'string' && /^[\w.-]+$/.test(key)
  if (!required.every(isPlain)) return undefined
  return `${program} call ${name} ${required.map((key) => `--arg ${key}=VALUE`).join(' ')}`
}
