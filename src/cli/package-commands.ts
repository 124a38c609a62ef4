import { AUTHOR_COMMANDS } from './author-commands.ts'
import { CHECK_COMMANDS } from './check-commands.ts'
import type { Command } from './command.ts'
import { INSTALL_COMMANDS } from './install-commands.ts'
import { PACK_COMMANDS } from './pack-commands.ts'
import { REGISTRY_COMMANDS } from './registry-commands.ts'
import { SEARCH_COMMANDS } from './search-commands.ts'
import { SECRET_COMMANDS } from './secret-commands.ts'

/** Commands about packages, in the order of help. */
export const PACKAGE_COMMANDS: readonly Command[] = [
  ...INSTALL_COMMANDS,
  ...SEARCH_COMMANDS,
  ...CHECK_COMMANDS,
  ...PACK_COMMANDS,
  ...SECRET_COMMANDS,
  ...AUTHOR_COMMANDS,
  ...REGISTRY_COMMANDS,
]
