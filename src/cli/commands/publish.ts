import { publishPackage } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'

export const publishCommand: Handler = async (input, { world, printer }) => {
  const dryRun = input.flag('dry-run')
  const publication = await publishPackage(world, configRequest(input), input.positionals[0] ?? '.', {
    dryRun,
    key: input.text('sign'),
  })
  if (input.flag('json')) {
    printer.json({ dry_run: dryRun, ...publication })
    return 0
  }
  const { name, version, tag, commit, created, entry, remote } = publication
  const done = dryRun ? 'would be tagged' : created ? 'tagged' : 'is tagged already as'
  printer.note(`${name} ${version} ${done} ${tag} at ${commit.slice(0, 12)}`)
  if (!dryRun) {
    printer.note(
      `Push it: ${remote === null ? 'git remote add origin URL, then ' : ''}git push origin ${tag}`,
    )
  }
  printer.note('Entry for registry.yaml:')
  printer.raw(entry.endsWith('\n') ? entry : `${entry}\n`)
  return 0
}
