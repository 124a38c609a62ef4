import { isToolName, type OfferedTool } from '../../model/index.ts'
import type { ListedTools } from './mcp-handshake.ts'
import type { SessionListener } from './session.ts'

const MOST_SHOWN = 5

/** Leaves out what nobody could call, and says so when that is news. */
export function createUnusableTeller(
  capsule: string,
  { onBreach, onNotice }: Pick<SessionListener, 'onBreach' | 'onNotice'>,
): (listed: ListedTools) => readonly OfferedTool[] {
  const tell = { names: createListTeller(onBreach), tasks: createListTeller(onNotice) }
  return ({ tools, nameless, tasksOnly }) => {
    const isUsable = ({ name }: OfferedTool) => isToolName(`${capsule}.${name}`)
    const unusable = tools.filter((tool) => !isUsable(tool)).map(({ name }) => name)
    tell.names('offers tools with names that cannot be used', [...nameless, ...unusable])
    tell.tasks('offers tools that run as tasks only, which cannot be called here', tasksOnly)
    return tools.filter(isUsable)
  }
}

/** Says the same once, however often it is heard. */
function createListTeller(tell: (words: string) => void): (what: string, listed: readonly string[]) => void {
  let told = ''
  return (what, listed) => {
    const names = [...new Set(listed)]
    const shown = names.slice(0, MOST_SHOWN).map((name) => JSON.stringify(name.slice(0, 80)))
    const more = names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : ''
    const words = shown.join(', ') + more
    if (words !== '' && words !== told) tell(`${what}: ${words}`)
    told = words
  }
}
