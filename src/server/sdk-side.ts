import { isJsonObject, type Json } from '../model/index.ts'
import type { ListName } from './contract.ts'
import type { IsSoundEnvelope } from './edge/hot-request.ts'
import { createOpenRequests } from './open-requests.ts'
import type { Pending } from './pending.ts'
import type { SdkConnection, SdkConnectionParts } from './sdk-connection.ts'

/** The SDK's side of a stdio connection. It is loaded with the first message that needs it; many clients never send one. */
export interface SdkSide {
  hand(message: Json): void
  /** It was handed a message. */
  isAsked(): boolean
  readonly isSoundEnvelope: IsSoundEnvelope
  announce(list: ListName): void
  close(): Promise<void>
}

export interface SdkSideParts extends SdkConnectionParts {
  readonly pending: Pending
  /** What the client was told without the SDK, which has to hear of it first. */
  readonly agreement: () => readonly Json[]
}

export function createSdkSide(parts: SdkSideParts): SdkSide {
  const { pipe, onError } = parts
  const open = createOpenRequests(parts.pending)
  let isAsked = false
  /** What came while it was loaded. */
  let waiting: Json[] = []
  let connection: SdkConnection | undefined
  let isSound: IsSoundEnvelope = () => false

  async function load(agreement: readonly Json[]): Promise<void> {
    const { connectSdk, isSoundEnvelope } = await import('./sdk-connection.ts')
    isSound = isSoundEnvelope
    const opened = connectSdk({
      ...parts,
      onAnswered(id) {
        parts.onAnswered(id)
        open.onAnswered(id)
      },
    })
    await opened.catchUp(agreement)
    connection = opened
    for (const message of waiting) receive(message, opened)
    waiting = []
  }

  /** Its files may be gone, as while Orla is replaced by a newer one. A client that waits for nothing is not kept. */
  function giveUp(error: unknown): void {
    onError(error)
    pipe.close()
  }

  function receive(message: Json, by: SdkConnection): void {
    try {
      by.receive(message)
    } catch (error) {
      onError(error)
      if (isJsonObject(message)) open.onAnswered(message.id)
    }
  }

  return {
    hand(message) {
      open.onHanded(message)
      if (connection) return receive(message, connection)
      waiting.push(message)
      if (!isAsked) load([...parts.agreement()]).catch(giveUp)
      isAsked = true
    },
    isAsked: () => isAsked,
    isSoundEnvelope: (meta) => isSound(meta),
    announce: (list) => connection?.announce(list),
    async close() {
      await connection?.close()
      pipe.close()
    },
  }
}
