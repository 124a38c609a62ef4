import { OrlaError } from '../model/index.ts'

/** A failing file operation in a person's words (a full disk, no permission); anything else stays what it is. */
export function asFileError(error: unknown, doing: string): unknown {
  if (!(error instanceof Error) || error instanceof OrlaError) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  const hint = HINTS[code]
  return new OrlaError('E_FILE', `cannot ${doing}: ${MEANINGS[code] ?? error.message}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  })
}

const MEANINGS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EMFILE: 'too many files are open',
}

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space (orla cache clear helps) and repeat the command.',
  EDQUOT: 'Free some space (orla cache clear helps) and repeat the command.',
}
