import { join } from 'node:path'
import { sha256 } from '../../model/index.ts'
import { makeFolder, openStaging, realPath, type Staging, sweepStaging } from '../../platform/index.ts'
import type { Subject } from '../../runtime/index.ts'

/**
 * Where a program keeps what it keeps, which is its home as well: who can write there decides what it runs next. So a
 * name is not enough: packages of one name from other hands have other folders, and none is a folder of Orla's own.
 * `source`: whose hands, for an installed package.
 */
export function stateFolder(orlaHome: string, { name, origin }: Subject, source: string | undefined): string {
  if (origin.kind === 'loose') return join(orlaHome, 'state', 'loose', marked(name, origin.file))
  return join(orlaHome, 'state', 'packages', marked(origin.package.name, source ?? origin.folder))
}

function marked(name: string, owner: string): string {
  return `${name}-${sha256(`${name}\n${owner}`).slice(0, 16)}`
}

/** For what is only tried: nobody has kept anything there before, and nobody finds it afterwards. */
export interface TrialState {
  readonly folderOf: (subject: Subject) => string
  discard(): void
}

export function openTrialState(home: string): TrialState {
  const root = join(home, 'state', 'trials')
  let staging: Staging | undefined
  return {
    folderOf({ name, origin }) {
      if (staging === undefined) {
        makeFolder(root, 0o700)
        sweepStaging(root)
        staging = openStaging(root)
      }
      const owner = origin.kind === 'package' ? origin.folder : origin.file
      return join(realPath(staging.dir), marked(name, owner))
    },
    discard: () => staging?.discard(),
  }
}
