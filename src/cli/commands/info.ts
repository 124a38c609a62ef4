import { type PackageInfo, packageInfo } from '../../app/index.ts'
import { nameTier, oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { networkOptions } from '../network.ts'
import type { Printer } from '../printer.ts'
import { mainReasons } from '../reasons.ts'
import { configRequest } from '../settings.ts'

export const infoCommand: Handler = async (input, context) => {
  const { world, printer } = context
  const info = await packageInfo(
    world,
    configRequest(input),
    input.positionals[0] ?? '',
    networkOptions(input),
    converse(input, context),
  )
  if (input.flag('json')) printer.json(info)
  else print(printer, info)
  return 0
}

function print(printer: Printer, info: PackageInfo): void {
  printer.data(`${printer.paint('bold', info.name)}  ${oneLine(info.description)}`)
  for (const one of info.installed) {
    printer.data(`\n${one.version} (${one.mode}, ${one.state})`)
    const { manifest } = one
    const rows = [
      ['folder', one.folder],
      ['from', one.from ?? 'placed by hand'],
      ['installed', one.installed_at ?? '-'],
      ['digest', one.digest ?? '-'],
      ['signed by', one.signer?.fingerprint ?? (one.digest === null ? '' : 'nobody')],
      ['publisher', inOneLine(one.publisher)],
      ['built from', inOneLine(one.provenance)],
      ...['author', 'license', 'homepage', 'repository'].map((key) => [key, asText(manifest[key])]),
      ...one.permissions.map(({ word, meaning }) => ['asks', `${word}: ${meaning}`]),
      ...sandboxRows(one),
      ...one.calls.map((tool) => ['calls', tool]),
      ...one.call_permissions.map(({ word, meaning, tools }) => [
        'may',
        `${word}: ${meaning}, through ${tools.join(', ')}`,
      ]),
      ...one.implementations.map((way) => [WORDS[way.state], implementationWords(way)]),
    ]
    printer.table(rows.filter(([, value]) => value !== '').map((row) => [' ', ...row]))
  }
  if (info.installed.length === 0) printer.data('not installed')
  if (info.available.length > 0)
    printer.data(`\navailable from ${info.registry}: ${info.available.join(', ')}`)
  else if (info.repository !== null) printer.data(`\nlisted in ${info.registry}: ${oneLine(info.repository)}`)
}

function implementationWords(way: PackageInfo['installed'][number]['implementations'][number]): string {
  const { id, type, runtime, reasons, score, cooling_until: coolingUntil } = way
  const known = score === null ? [] : [mainReasons(score.parts)]
  const waits = coolingUntil === null ? [] : [`not tried first before ${coolingUntil}`]
  const words = [...reasons, ...known, ...waits].join('; ')
  return `${id} (${runtime ?? type})${words === '' ? '' : `: ${words}`}`
}

function sandboxRows({ mode, sandbox, permissions, manifest }: PackageInfo['installed'][number]): string[][] {
  // Its steps are other tools, each held by itself.
  if (mode === 'chain') return []
  if (sandbox === null) return [['held by', 'nothing: it is your own']]
  const { backend, enforced, unenforced, denied } = sandbox
  const isSilent = manifest.permissions === undefined
  const asks = isSilent ? 'names nothing: reads and writes in the project, no network' : 'nothing'
  return [
    ...(permissions.length === 0 ? [['asks', asks]] : []),
    ['held by', backend === 'none' ? 'nothing' : `${nameTier(backend)}: ${enforced.join(', ')}`],
    ['not held', unenforced.join(', ')],
    ['refused', denied ?? ''],
  ]
}

/** What stands before an implementation. */
const WORDS = { chosen: 'runs', fallback: 'else', unfit: 'not' } as const

/** The values of what a package says about itself. */
function inOneLine(said: Readonly<Record<string, unknown>> | null): string {
  return Object.values(said ?? {})
    .filter((value) => typeof value === 'string')
    .map(oneLine)
    .join(', ')
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
