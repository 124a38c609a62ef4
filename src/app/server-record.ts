import { join } from 'node:path'
import type { Log, ServerRecord } from '../model/index.ts'
import {
  isRunning,
  listFolder,
  makeFolder,
  readTextIfThere,
  removeFile,
  writeFileAtomic,
} from '../platform/index.ts'

/** `~/.orla/run/PID.json`: how commands find the servers that run. */
export interface RecordKeeper {
  update(change: Partial<ServerRecord>): void
  remove(): void
}

export function keepRecord(home: string, first: ServerRecord, log: Log): RecordKeeper {
  const file = join(home, 'run', `${first.pid}.json`)
  let record = first
  const write = () => {
    try {
      makeFolder(join(home, 'run'))
      writeFileAtomic(file, `${JSON.stringify(record)}\n`, 0o600)
    } catch (error) {
      // A read-only home is no reason not to serve; only `orla reload` will not find this server.
      log.debug('cannot write the server record', { file, error: (error as Error).message })
    }
  }
  write()
  return {
    update(change) {
      record = { ...record, ...change }
      write()
    },
    remove() {
      try {
        removeFile(file)
      } catch (error) {
        log.debug('cannot remove the server record', { file, error: (error as Error).message })
      }
    },
  }
}

/** Servers that run now. What servers that were killed left, a record and a control socket, is swept. */
export function readRecords(home: string): ServerRecord[] {
  const folder = join(home, 'run')
  return listFolder(folder)
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => {
      const file = join(folder, name)
      const record = parseRecord(readTextIfThere(file))
      if (record && isRunning(record.pid, record.started_at)) return [record]
      try {
        for (const left of [file, file.replace(/json$/, 'sock')]) removeFile(left)
      } catch {
        // Someone else's record, or a read-only home: it stays, and stays ignored.
      }
      return []
    })
}

function parseRecord(text: string | undefined): ServerRecord | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as ServerRecord) // written by keepRecord only
  } catch {
    return undefined
  }
}
