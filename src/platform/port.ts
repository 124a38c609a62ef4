import { createServer } from 'node:net'

/** Whether one could listen there now, and if not, why. */
export function probePort(host: string, port: number): Promise<{ free: boolean; code?: string }> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ free: false, ...(error.code ? { code: error.code } : {}) }),
    )
    server.listen(port, host, () => server.close(() => resolve({ free: true })))
  })
}
