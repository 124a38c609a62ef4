import type { Socket } from 'node:net'

/** All names below one: who comes through its door says which, in a line of its own. */
export function isPattern(host: string): boolean {
  return host.startsWith('*.')
}

/** What the first line says; the rest of the stream is left as it is. Throws when it is no name below the pattern. */
export async function nameBelow(pattern: string, socket: Socket): Promise<string> {
  const said = await firstLine(socket)
  if (NAME.test(said) && said.endsWith(pattern.slice(1))) return said
  throw new Error(`${JSON.stringify(said)} is no name below ${pattern.slice(2)}`)
}

const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{1,63}$/
const LONGEST_NAME = 253
const SAID_WITHIN_MS = 5_000

function firstLine(socket: Socket): Promise<string> {
  return new Promise((settle, reject) => {
    let text = ''
    const late = setTimeout(() => fail('nobody said where it goes'), SAID_WITHIN_MS)
    const onLeft = () => fail('it left without a word')
    function over(): void {
      clearTimeout(late)
      socket.off('readable', take).off('end', onLeft).off('close', onLeft)
    }
    function fail(why: string): void {
      over()
      reject(new Error(why))
    }
    function take(): void {
      // Byte by byte: what comes behind the line is not for here.
      for (let byte = socket.read(1); byte !== null; byte = socket.read(1)) {
        const character = String(byte)
        if (character === '\n') {
          over()
          settle(text)
          return
        }
        text += character
        if (text.length <= LONGEST_NAME) continue
        fail('what it said is too long for a name')
        return
      }
    }
    socket.on('readable', take).on('end', onLeft).on('close', onLeft)
  })
}
