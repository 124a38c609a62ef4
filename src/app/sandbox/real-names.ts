export interface Named {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly script?: string
}

/**
 * The same program by names without links: a sandbox shows folders where they really are, and not the links that lead
 * there. `folder` is the package as it was found, `real` where it lies; `realFolder` says where another one does.
 */
export function realNames(
  named: Named,
  folder: string,
  real: string,
  realFolder: (path: string) => string,
): Named {
  const move = (path: string) =>
    path === folder || path.startsWith(`${folder}/`) ? real + path.slice(folder.length) : path
  const { file, args, cwd, script } = named
  return {
    file: move(file),
    args: folder === real ? args : args.map(move),
    cwd: realFolder(cwd),
    ...(script !== undefined && { script: move(script) }),
  }
}
