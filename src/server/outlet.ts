import type { Socket } from 'node:net'

/** As much of a response as those need who write one: what node:http makes is one, and so is a plain response. */
export interface Outlet {
  readonly headersSent: boolean
  readonly writableEnded: boolean
  readonly writableFinished: boolean
  readonly writableNeedDrain: boolean
  readonly destroyed: boolean
  readonly socket: Socket | null
  readonly statusCode: number
  /** Names and values alternating. */
  writeHead(status: 200, headers: string[]): unknown
  flushHeaders(): void
  write(piece: string | Buffer): boolean
  end(piece?: string): unknown
  destroy(): unknown
  on(event: OutletEvent, listener: () => void): unknown
  off(event: OutletEvent, listener: () => void): unknown
  emit(event: OutletEvent): boolean
}

export type OutletEvent = 'drain' | 'finish' | 'close'
