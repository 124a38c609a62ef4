/**
 * Why a link at `path` (relative to its tree) must not point to `target`; undefined when it stays inside.
 * `..` may only stand at the beginning: there it climbs real folders, since nothing of a tree lies behind a
 * link. After a name it could start from wherever another link leads.
 */
export function linkProblem(path: string, target: string): string | undefined {
  if (target === '' || target.includes('\0')) return 'is a link to nothing'
  if (target.startsWith('/') || /^[A-Za-z]:|\\/.test(target)) return 'is a link to an absolute path'
  const words = target.split('/').filter((word) => word !== '' && word !== '.')
  const climbs = words.findIndex((word) => word !== '..')
  const ups = climbs === -1 ? words.length : climbs
  if (words.slice(ups).includes('..')) return "is a link with '..' inside its target"
  if (ups > path.split('/').length - 1) return 'is a link that leaves the package'
  return undefined
}
