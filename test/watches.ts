import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** How many folders and files the system watches for a process. Only Linux tells. */
export function watchesOf(pid: number): number {
  const descriptors = readdirSync(`/proc/${pid}/fd`).filter((fd) => isInotify(`/proc/${pid}/fd/${fd}`))
  const lines = descriptors.flatMap((fd) => readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8').split('\n'))
  return lines.filter((line) => line.startsWith('inotify ')).length
}

function isInotify(descriptor: string): boolean {
  try {
    return readlinkSync(descriptor).includes('inotify')
  } catch {
    return false // closed meanwhile
  }
}
