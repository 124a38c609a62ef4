/** Hidden files, caches and editor backups are nobody's tools. */
export function isIgnored(name: string): boolean {
  return (
    name.startsWith('.') ||
    name.endsWith('~') ||
    name.endsWith('.swp') ||
    (name.startsWith('#') && name.endsWith('#')) ||
    name === 'node_modules' ||
    name === '__pycache__'
  )
}
