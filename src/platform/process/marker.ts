import { randomBytes } from 'node:crypto'

/**
 * Every tool carries `MCP_RUN=<server token>.<call number>` in its environment, and what it forks inherits it:
 * that is how a process is found again that left the tool's process group. The number has a fixed width, so
 * that no marker is the beginning of another.
 */
export interface Markers {
  /** In the environment of every process this server starts, and of no other. */
  readonly token: string
  /** A name for this server that does not give the token away. */
  readonly server: string
  next(): string
}

export function createMarkers(): Markers {
  const token = randomBytes(16).toString('hex')
  let calls = 0
  return {
    token,
    server: randomBytes(8).toString('hex'),
    next: () => `${token}.${(++calls).toString(16).padStart(12, '0')}`,
  }
}

/** A server that is itself a tool of another server hands the outer marker on: both find the process. */
export function markedEnvironment(
  env: Readonly<Record<string, string>>,
  marker: string,
): Record<string, string> {
  const outer = env.MCP_RUN
  return { ...env, MCP_RUN: outer ? `${outer},${marker}` : marker }
}
