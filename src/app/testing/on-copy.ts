import { tmpdir } from 'node:os'
import {
  type Capsule,
  type Command,
  commandsOf,
  type Origin,
  type Run,
  type Tool,
} from '../../model/index.ts'
import { duplicateFolder, openStaging } from '../../platform/index.ts'
import type { TestSubject } from './subject.ts'

/** A subject for which something was laid out that goes again afterwards. */
export interface CopiedSubject {
  readonly subject: TestSubject
  readonly discard: () => void
}

/**
 * What was installed stays as it was checked, whatever its tests do: they run on a copy. A folder that someone placed
 * or linked is theirs and runs where it is.
 */
export function onCopy(subject: TestSubject): CopiedSubject {
  const isInstalled = subject.tools.some(
    ({ origin, run }) =>
      origin.kind === 'package' && origin.package.receipt !== undefined && commandsOf(run).length > 0,
  )
  if (!isInstalled || subject.testFiles.length === 0) return { subject, discard() {} }
  const staging = openStaging(tmpdir())
  const discard = () => staging.discard()
  try {
    duplicateFolder(subject.folder, staging.dir)
  } catch (error) {
    discard()
    throw error
  }
  const capsules = new Map<Capsule, Capsule>()
  const move = (path: string) =>
    path === subject.folder || path.startsWith(`${subject.folder}/`)
      ? staging.dir + path.slice(subject.folder.length)
      : path
  return { subject: { ...subject, tools: subject.tools.map(moveTool) }, discard }

  function moveTool(tool: Tool): Tool {
    if (tool.origin.kind !== 'package') return tool
    return { ...tool, origin: moveOrigin(tool.origin), run: moveRun(tool.run) }
  }

  function moveOrigin(origin: Origin): Origin {
    if (origin.kind !== 'package') return origin
    return { ...origin, file: move(origin.file), folder: move(origin.folder) }
  }

  function moveRun(run: Run): Run {
    switch (run.kind) {
      case 'spawn':
        return { ...run, command: moveCommand(run.command) }
      case 'capsule':
        return { ...run, capsule: moveCapsule(run.capsule) }
      case 'implementations':
        return {
          ...run,
          candidates: run.candidates.map((one) =>
            one.kind === 'local' ? { ...one, command: moveCommand(one.command) } : one,
          ),
        }
      case 'chain':
        return run
    }
  }

  /** Its tools go on sharing it; one that runs where it was installed is another process. */
  function moveCapsule(capsule: Capsule): Capsule {
    const known = capsules.get(capsule)
    if (known !== undefined) return known
    const { origin } = capsule
    const moved = {
      ...capsule,
      ...(origin && { origin: moveOrigin(origin) }),
      command: moveCommand(capsule.command),
      identity: `${capsule.identity} on a copy`,
    }
    capsules.set(capsule, moved)
    return moved
  }

  function moveCommand(command: Command): Command {
    const { file, args, cwd, script } = command
    return { ...command, file: move(file), args: args.map(move), cwd: move(cwd), script: move(script) }
  }
}
