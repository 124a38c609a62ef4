/** One HTTP request and its response, as the endpoint and the log know it. */
export interface Exchange {
  /** The TCP connection, by the name it has in logs. */
  readonly connection: string
  era?: 'modern' | 'legacy'
  /** The session, by the name it has in logs. */
  session?: string
  rpcMethod?: string
  requestId?: string | number
  /** Nothing more is to be waited for: it was answered, or became a standing stream. */
  settle(): void
  /** Calls back once the response has left or was given up, at once if that is past. */
  onDone(callback: () => void): void
}
