/** The object without the keys that are undefined. Only keys that may be absent may be undefined. */
export function compact<T extends object>(
  fields: {
    [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K]
  },
): T {
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) result[key] = value
  return result as T // see above
}
