import { reloadServers } from '../../app/index.ts'
import type { Handler } from '../command.ts'
import { count } from '../count.ts'
import { configRequest } from '../settings.ts'

export const reloadCommand: Handler = async (input, { world, printer }) => {
  const servers = await reloadServers(world, configRequest(input))
  if (input.flag('json')) {
    printer.json({ servers })
  } else {
    for (const { pid, url, tools, problems, reload_error } of servers) {
      const where = url ?? 'stdio'
      const found = `${count(tools, 'tool')}, ${count(problems, 'problem')}`
      if (reload_error === null) printer.data(`reloaded ${where} (pid ${pid}): ${found}`)
      else printer.note(`${where} (pid ${pid}) kept its state: ${reload_error}`)
    }
  }
  return servers.some((server) => server.reload_error !== null) ? 1 : 0
}
