import { explainSandbox, runInSandbox, type SandboxExplanation } from '../../app/index.ts'
import { nameTier, oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import type { Printer } from '../printer.ts'
import { configRequest } from '../settings.ts'

export const sandboxExplainCommand: Handler = async (input, { world, printer }) => {
  const told = await explainSandbox(world, configRequest(input), input.positionals[0] ?? '')
  if (input.flag('json')) printer.json(told)
  else print(printer, told)
  return 0
}

export const sandboxRunCommand: Handler = async (input, { world, printer }) => {
  const [name = '', ...command] = input.positionals
  return runInSandbox(world, configRequest(input), name, command, (line) => printer.note(line))
}

function print(printer: Printer, told: SandboxExplanation): void {
  const { name, version, files, backend, calls, denied } = told
  printer.data(`${printer.paint('bold', name)} ${version}  ${heading(told)}`)
  if (denied !== null) printer.data(`\n${printer.paint('yellow', `It ${oneLine(denied)}`)}`)
  // Nothing is known of what it would see.
  if (denied !== null && backend === null) return
  if (files.length > 0) {
    printer.data('\nfiles')
    printer.table(
      files.map(({ path, access, what }) => ['  ', ACCESS[access] ?? access, oneLine(path), what]),
    )
  }
  printer.data('')
  printer.table(
    [
      ['permissions', permissionWords(told)],
      ['calls', calls.join(', ')],
      ['network', calls.length > 0 ? '' : networkWords(told.network)],
      ['sockets', told.sockets.join(', ')],
      ['programs', told.programs.join(', ')],
      ['variables', told.variables.join(', ')],
      ['limits', limitWords(told.limits)],
      ['held', told.enforced.join(', ')],
      ['not held', told.unenforced.join(', ')],
    ].filter(([, value]) => value !== ''),
  )
}

const ACCESS: Readonly<Record<string, string>> = { read: 'reads', write: 'writes', hidden: 'hidden' }

function heading({ held, backend, calls, denied }: SandboxExplanation): string {
  if (held && backend !== null) return `held by ${nameTier(backend)}`
  if (denied !== null) return 'does not run'
  if (calls.length > 0) return 'a chain: it runs nothing itself, and each tool it calls is held by itself'
  return backend === null ? 'your own: it runs as you and sees what you see' : 'held by nothing'
}

function permissionWords({ permissions, backend }: SandboxExplanation): string {
  if (backend === null) return ''
  if (permissions === null) return 'names none: it has the project'
  return permissions.join(', ') || 'none'
}

function networkWords(network: SandboxExplanation['network']): string {
  if (typeof network !== 'string') return network.join(', ')
  return network === 'any' ? 'every host' : 'none'
}

function limitWords(limits: SandboxExplanation['limits']): string {
  return Object.entries(limits)
    .filter(([, value]) => value > 0)
    .map(([key, value]) => limitWord(key, value))
    .join(', ')
}

function limitWord(key: string, value: number): string {
  const name = key
    .replace(/_(?:ms|bytes)$/, '')
    .replace('file', 'file size')
    .replace('timeout', 'time')
  if (key.endsWith('_ms')) return `${name} ${value / 1000} s`
  return key.endsWith('_bytes')
    ? `${name} ${Math.round((value / 1_048_576) * 10) / 10} MiB`
    : `${name} ${value}`
}
