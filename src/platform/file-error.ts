import { OrlaError } from '../model/index.ts'

/** A failing file operation in a person's words (a full disk, no permission); anything else stays what it is. */
export function asFileError(error: unknown, doing: string): unknown {
  if (!(error instanceof Error) || error instanceof OrlaError) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  const hint = HINTS[code]
  return new OrlaError('E_FILE', `cannot ${doing}: ${MEANINGS[code] ?? `the system says ${code}`}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Less was written than asked for, which nothing but a full disk does. */
export function fullDisk(): NodeJS.ErrnoException {
  return Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' })
}

const MEANINGS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something is there already',
  ENOTEMPTY: 'something is there already',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'links lead in a circle',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is in use',
  EIO: 'the disk does not answer as it should',
  EFBIG: 'it would be larger than the disk allows',
  ENODEV: 'there is no such device',
  ENXIO: 'there is no such device',
  ENOFOLDERS: 'no folders can be made there',
}

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space (`orla cache clear` helps) and repeat the command',
  EDQUOT: 'free some space (`orla cache clear` helps) and repeat the command',
  ENOFOLDERS: 'choose another place; ORLA_HOME names the folder for files of Orla',
}
