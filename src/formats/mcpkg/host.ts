/** What a lookup knows: a version, null when it is there and does not tell, undefined when it is not there. */
export type FoundVersion = string | null | undefined

/** A machine, as far as implementations ask about it. */
export interface McpkgHost {
  /** As Node names them: `linux`, `win32`, `darwin`; `x64`, `arm64`. */
  readonly platform: string
  readonly arch: string
  /**
   * A program on PATH: `node`, `python3.11`, `ffmpeg`. May also know `net8.0`, one version of several behind `dotnet`.
   * Not `asked`, it is only looked for and never run: the word that names it is a stranger's.
   */
  readonly programVersion: (name: string, asked?: boolean) => FoundVersion
  /** A package of a runtime, by its program: `('python3', 'PyMuPDF')`. */
  readonly packageVersion: (program: string, name: string) => FoundVersion
}

/** What comes after `and this machine`. */
export function hasWords(version: string | null): string {
  return version === null ? 'does not tell its version' : `has ${version}`
}
