import { cacheDir, cacheSize, clearCache } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { configRequest } from '../settings.ts'

export const cacheDirCommand: Handler = async (input, { world, printer }) => {
  const dir = cacheDir(world, configRequest(input))
  if (input.flag('json')) printer.json({ dir })
  else printer.data(dir)
  return 0
}

export const cacheSizeCommand: Handler = async (input, { world, printer }) => {
  const bytes = cacheSize(world, configRequest(input))
  if (input.flag('json')) printer.json({ bytes })
  else printer.data(spell(bytes))
  return 0
}

export const cacheClearCommand: Handler = async (input, { world, printer }) => {
  const bytes = clearCache(world, configRequest(input))
  if (input.flag('json')) printer.json({ bytes })
  else printer.data(`${spell(bytes)} freed; what is needed is fetched again`)
  return 0
}

function spell(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}
