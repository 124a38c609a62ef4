import type { Command, Option } from './command.ts'
import {
  DRY_RUN,
  GLOBAL,
  JSON_OPTION,
  OFFLINE,
  PACKAGE,
  PACKAGE_NAME,
  REFRESH,
  REGISTRY,
  YES,
} from './options.ts'

const NO_TEST: Option = { name: 'no-test', about: 'Do not run the tests a package brings' }
const DOWNGRADE: Option = {
  name: 'allow-downgrade',
  about: 'Take the newest there is, although orla.lock has seen a newer one',
}

/** Commands that change which packages are here and which version serves, in the order of help. */
export const INSTALL_COMMANDS: readonly Command[] = [
  {
    name: 'install',
    summary: 'Install packages from a registry, a git repository, an .mcpkg, a folder or an archive',
    effect: 'changes',
    positionals: [
      {
        name: 'PACKAGE',
        about: 'NAME, NAME@v1.0.0, registry/NAME, FILE.mcpkg or a URL; none restores orla.lock',
        optional: true,
        many: true,
      },
    ],
    options: [
      { name: 'local', value: 'PATH', about: 'A folder, .mcpkg, .tar.gz, .tgz or .zip on this machine' },
      { name: 'link', about: 'With --local FOLDER: serve it from where it is, for development' },
      GLOBAL,
      REGISTRY,
      YES,
      DRY_RUN,
      { name: 'frozen', about: 'Install exactly what orla.lock says, or fail' },
      OFFLINE,
      REFRESH,
      { name: 'force', about: 'Install again what is installed already' },
      DOWNGRADE,
      NO_TEST,
      JSON_OPTION,
    ],
    examples: [
      ['orla install fs', 'the newest stable version'],
      ['orla install fs@v0.1.0 http', 'a certain version, and another package'],
      ['orla install acme.text.greet-0.1.0.mcpkg', 'an .mcpkg on this machine'],
      ['orla install --local ./my-tool --link', 'a package you are working on'],
      ['orla install --frozen', 'in CI: exactly orla.lock'],
    ],
    more: [
      'Below a folder with orla.yaml packages go into its tools folder, otherwise into ~/.orla/tools.',
      'An .mcpkg goes into .mcp/tools beside orla.yaml, otherwise below the working directory.',
      'A running server offers them at once.',
    ].join('\n'),
    load: async () => (await import('./commands/install.ts')).installCommand,
  },
  {
    name: 'uninstall',
    summary: 'Remove packages',
    effect: 'changes',
    positionals: [{ ...PACKAGE, many: true }],
    options: [GLOBAL, JSON_OPTION],
    examples: [
      ['orla uninstall fs', 'all versions'],
      ['orla uninstall fs@v0.1.0', 'one version'],
    ],
    load: async () => (await import('./commands/uninstall.ts')).uninstallCommand,
  },
  {
    name: 'update',
    summary: 'Bring packages to their newest version; the old one stays until --prune',
    effect: 'changes',
    positionals: [{ ...PACKAGE_NAME, optional: true, many: true }],
    options: [
      GLOBAL,
      YES,
      DRY_RUN,
      { name: 'prune', about: 'Remove the versions before' },
      DOWNGRADE,
      { name: 'safe', about: 'Refuse what breaks a caller: schemas, or tests of the version before' },
      NO_TEST,
      JSON_OPTION,
    ],
    examples: [
      ['orla update', 'everything in orla.lock'],
      ['orla update --safe fs', 'only if nothing that works now breaks'],
    ],
    more: [
      'Shows what changes for a caller before it switches: permissions, schemas, and what the tests of both versions',
      'say about both. With --safe status 3, and everything stays as it is, when a schema changed in a way that breaks',
      'callers, a test of the old version fails with the new one, or the new one fails its own tests.',
    ].join('\n'),
    load: async () => (await import('./commands/update.ts')).updateCommand,
  },
  {
    name: 'outdated',
    summary: 'List packages that have a newer version',
    effect: 'reads',
    positionals: [{ ...PACKAGE_NAME, optional: true, many: true }],
    options: [GLOBAL, JSON_OPTION],
    examples: [['orla outdated', 'what `orla update` would bring']],
    load: async () => (await import('./commands/outdated.ts')).outdatedCommand,
  },
  {
    name: 'use',
    summary: 'Choose which installed version serves',
    effect: 'changes',
    positionals: [{ name: 'NAME@vVERSION', about: 'An installed version', values: 'packages' }],
    options: [GLOBAL, JSON_OPTION],
    examples: [['orla use fs@v0.1.0', 'writes the versions map of orla.yaml']],
    load: async () => (await import('./commands/use.ts')).useCommand,
  },
  {
    name: 'rollback',
    summary: 'Serve the installed version before the current one',
    effect: 'changes',
    positionals: [PACKAGE_NAME],
    options: [GLOBAL, JSON_OPTION],
    examples: [['orla rollback fs', 'after an update that went wrong']],
    load: async () => (await import('./commands/use.ts')).rollbackCommand,
  },
]
