import type { Option } from './command.ts'

/** Options and arguments that mean the same wherever they stand. */
export const JSON_OPTION: Option = { name: 'json', about: 'Print JSON with stable keys' }
export const YES: Option = {
  name: 'yes',
  short: 'y',
  about: 'Accept the plan: permissions, hooks, new registries',
}
/** For commands that ask the registries and nothing else. */
export const TRUST: Option = { ...YES, about: 'Trust new registries' }
export const DRY_RUN: Option = { name: 'dry-run', about: 'Show the plan and change nothing' }
export const OFFLINE: Option = { name: 'offline', about: 'Use only what is cached' }
export const REFRESH: Option = {
  name: 'refresh',
  about: 'Ask the registries again although their index is fresh',
}
export const REGISTRY: Option = { name: 'registry', value: 'URL', about: 'Use this registry only' }
export const GLOBAL: Option = { name: 'global', about: 'For every project, as if there were no orla.yaml' }
export const SINCE: Option = {
  name: 'since',
  value: 'TIME',
  about: 'Only calls since then: 24h, 7d, 2026-01-31, 2026-01-31T12:00Z',
}
export const PACKAGE = { name: 'NAME', about: 'Package, or NAME@vVERSION', values: 'packages' } as const
export const PACKAGE_NAME = { name: 'NAME', about: 'An installed package', values: 'packages' } as const
