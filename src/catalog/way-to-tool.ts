import { nearest } from '../model/index.ts'
import type { PackageFindings } from './packages.ts'

/** What would help someone who needs a tool that is not served. `names` are those of the tools that are here. */
export function wayToTool(
  missing: string,
  names: readonly string[],
  { problems, packages, capsules }: PackageFindings,
): string {
  /** One that is here and not served has a problem of its own, which is told beside this one. */
  const wayOutOf = (name: string) =>
    problems.find(({ tool }) => tool === name)?.hint ?? `\`orla list\` says what is wrong with \`${name}\``
  if (names.includes(missing) || problems.some(({ tool }) => tool === missing)) return wayOutOf(missing)
  // The tools of an MCP server are called PACKAGE.TOOL.
  const home = packages.find(
    ({ manifest: { name, runtime } }) =>
      missing === name || (runtime.handshake === 'mcp' && missing.startsWith(`${name}.`)),
  )?.manifest.name
  if (home !== undefined && !capsules.some(({ name }) => name === home)) return wayOutOf(home)
  const close = nearest(missing, names)
  if (close !== undefined) return `did you mean \`${close}\`?`
  if (home !== undefined) return `\`orla list\` says which tools the MCP server \`${home}\` offers`
  return `\`orla install ${missing}\` installs it`
}
