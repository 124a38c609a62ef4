import { resolve } from 'node:path'
import type { LookAt, Outlet } from '../platform/index.ts'
import { answerBytes, type Piece } from './answer-file.ts'
import { createLooks } from './looks.ts'
import { notedFiles } from './noted-files.ts'
import { putAnswer } from './put-answer.ts'
import type { Question } from './question.ts'

/** A command that runs while everything it looks at is noted. */
export interface Recording {
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the code of the command gets when it asks for this module. */
  module(id: string): unknown
  /** Passes on what is printed, and remembers it. */
  readonly heard: (fd: 1 | 2, outlet: Outlet) => Outlet
  /** The answer depends on something that cannot be looked at again. */
  readonly doubt: () => void
  /** When all is printed: what the next one who asks may be told. */
  keep(): void
}

export interface RecordingDeps {
  readonly question: Question
  /** Where Orla keeps what is its own. */
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly load: (id: string) => unknown
  readonly lookAt: LookAt
  /** When it began, in milliseconds since 1970. */
  readonly begun: number
}

/** They tell nothing of the world that may change. */
const PLAIN_MODULES =
  /^node:(assert|buffer|constants|crypto|events|os|path|string_decoder|url|util|vm|zlib)(\/\w+)?$/
/** Of what can be worked out again, always to the same. */
const CACHES = ['catalog', 'integrity', 'known']
const MOST_BYTES = 8 << 20
/** Nothing of that kind is written down. */
const SECRET = /TOKEN|SECRET|PASSWORD|CREDENTIAL|_KEY/i

export function startRecording({ question, home, env, load, lookAt, begun }: RecordingDeps): Recording {
  const looks = createLooks(
    begun,
    CACHES.map((cache) => resolve(home, 'cache', cache)),
  )
  const files = notedFiles(load('node:fs') as Parameters<typeof notedFiles>[0], looks) // that is what it is
  const variables: Record<string, string | null> = {}
  const pieces: Piece[] = []
  let bytes = 0

  function read(name: string | symbol): string | undefined {
    if (typeof name === 'symbol') return undefined
    const value = env[name]
    if (value !== undefined && SECRET.test(name)) looks.doubted()
    variables[name] = value ?? null
    return value
  }

  function hear(fd: 1 | 2, text: string | Uint8Array): void {
    // A copy: who printed it may use the room again.
    const piece = Buffer.from(text)
    pieces.push({ fd, bytes: piece })
    bytes += piece.length
    if (bytes > MOST_BYTES) looks.doubted()
  }

  return {
    doubt: looks.doubted,
    env: new Proxy(env, {
      get: (_, name) => read(name),
      has: (_, name) => read(name) !== undefined,
      getOwnPropertyDescriptor(target, name) {
        read(name)
        return Reflect.getOwnPropertyDescriptor(target, name)
      },
      // Who looks at all of them may go by any.
      ownKeys(target) {
        looks.doubted()
        return Reflect.ownKeys(target)
      },
    }),
    module(id) {
      if (id === 'node:fs') return files
      if (!PLAIN_MODULES.test(id)) looks.doubted()
      return load(id)
    },
    heard(fd, outlet) {
      const write = (text: string | Uint8Array) => {
        hear(fd, text)
        return outlet.write(text)
      }
      // With all else that is known of it, as the width of a terminal.
      return Object.create(outlet, { write: { value: write } }) as Outlet
    },
    keep() {
      const seen = looks.again(lookAt)
      if (seen === undefined) return
      putAnswer(
        question.file,
        answerBytes({ question: question.text, made: begun, variables, pieces, ...seen }),
      )
    },
  }
}
