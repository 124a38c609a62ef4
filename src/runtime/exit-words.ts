interface Exit {
  readonly exitCode: number | null
  readonly signal: string | null
}

/** How a process ended, to follow the name of the tool. */
export function exitWords({ exitCode, signal }: Exit): string {
  return exitCode === null ? `was ended by ${signal}` : `exited with status ${exitCode}`
}
