/** How a JSONPath goes on to a key. */
export function pathSelector(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
