import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Megabytes of memory, as the kernel counts them. */
export function resident(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

export function descriptors(pid) {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Milliseconds that all threads of a process have spent on a processor: what else ran does not count. */
export function processorMs(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const spent = tasks.map((task) => Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]))
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6
}

/** The launcher beside a server, once it runs. */
export function launcherOf(pid) {
  return childrenOf(pid).find(isLauncher)
}

/** The processes below this one that run a file. */
export function descendantsOf(pid, file) {
  const found = childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child, file)])
  return [...new Set(found)].filter((child) => read(`/proc/${child}/cmdline`).split('\0').includes(file))
}

function childrenOf(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = tasks.flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(' '))
  return children.filter(Boolean).map(Number)
}

function isLauncher(pid) {
  try {
    return /launcher[^/]*$/.test(readlinkSync(`/proc/${pid}/exe`))
  } catch {
    return false // it is gone
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '0' // a thread that ended meanwhile
  }
}
