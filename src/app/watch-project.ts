import { join } from 'node:path'
import type { Log } from '../model/index.ts'
import { watchDirectories } from '../platform/index.ts'
import type { LoadedConfig } from './config.ts'
import type { Refreshed } from './live-catalog.ts'
import type { World } from './world.ts'

interface Deps {
  readonly world: World
  readonly loaded: () => LoadedConfig
  readonly log: Log
  readonly onChange: () => void
}

interface ProjectWatch {
  /** From now on what was found is watched. */
  follow(found: Refreshed): void
  close(): void
}

/** Watches the configuration and the folders of tools, where the settings want it. */
export function watchProject({ world, loaded, log, onChange }: Deps): ProjectWatch {
  const watcher = loaded().config.watch
    ? watchDirectories({
        onChange,
        debounceMs: QUIET_MS,
        onError: (error) =>
          log.warn('cannot watch for changes', { error: error.message, hint: 'use `orla reload`' }),
      })
    : undefined
  // One that is not there yet, or was deleted, may be written. Without a project `orla use` writes the user's own.
  const configFiles = new Set([join(world.cwd, 'orla.yaml'), join(loaded().home, 'config.yaml')])
  return {
    follow({ directories, linked }) {
      const { file, config } = loaded()
      if (file !== null) configFiles.add(file)
      watcher?.update([config.toolsDir, ...directories], [...configFiles, ...linked])
    },
    close: () => watcher?.close(),
  }
}

// Editors and copies write at intervals of a few milliseconds; all beyond that keeps clients waiting for the news.
const QUIET_MS = 75
