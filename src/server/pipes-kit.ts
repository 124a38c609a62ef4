import { PassThrough } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/client'

/** The client's ends of the two pipes. */
export class Pipes {
  readonly stdin = new PassThrough()
  readonly stdout = new PassThrough()
  readonly lines: string[] = []
  onLine: (line: string) => void = () => {}

  constructor() {
    let rest = ''
    this.stdout.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n')
      rest = parts.pop() ?? ''
      for (const line of parts) {
        this.lines.push(line)
        this.onLine(line)
      }
    })
  }

  send(message: object): void {
    this.stdin.write(`${JSON.stringify(message)}\n`)
  }

  transport(): Transport {
    const transport: Transport = {
      start: async () => {
        this.onLine = (line) => transport.onmessage?.(JSON.parse(line))
      },
      send: async (message) => this.send(message),
      close: async () => {
        this.stdin.end()
        transport.onclose?.()
      },
    }
    return transport
  }
}
