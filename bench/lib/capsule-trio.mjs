import { capsuleProject, LANGUAGES } from './capsule-project.mjs'
import { start, stop } from './children.mjs'
import { openEcho } from './floors.mjs'
import { openStdio } from './orla.mjs'
import { timeApart, timeEach } from './rounds.mjs'
import { connect } from './rpc.mjs'

/** A capsule behind Orla, the same program at a pipe of its own, and the bare MCP echo: all asked the same, all warm. */
export async function openTrio(scratch, quick, language) {
  const { command, file } = LANGUAGES[language]
  const orla = openStdio(scratch, capsuleProject(scratch, language, ['warm']))
  const child = start(command, [file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const pipe = { pid: child.pid, ...connect(child) }
  const echo = openEcho()
  await orla.initialize()
  await orla.call('warm')
  const ask = (one) => one.ask('tools/call', { name: 'warm', arguments: {} })
  // All are to be measured as they are in use: compiled by then, the long program as well as the short ones.
  for (const one of [orla, pipe, echo]) await timeEach(quick ? 500 : 5_000, 1, () => ask(one))
  return {
    orla,
    pipe,
    echo,
    /** What each takes for one of `count` questions, for `rounds`; with a pause before each question, that not counted. */
    contenders(count, width, pauseMs) {
      const work = (one) => () =>
        pauseMs === undefined
          ? timeEach(count, width, () => ask(one))
          : timeApart(count, pauseMs, () => ask(one))
      return { orla: work(orla), pipe: work(pipe), echo: work(echo) }
    },
    stop: () => Promise.all([orla.stop(), echo.stop(), stop(child)]),
  }
}
