/** The object without the keys that are undefined. Only keys that may be absent may be undefined. */
export function compact<T extends object>(
  fields: {
    [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K]
  },
): T {
  const result: Partial<T> = {}
  // Not by entries: this is done several times for each tool.
  for (const key in fields) if (fields[key] !== undefined) result[key] = fields[key] as T[typeof key]
  return result as T // see above
}
