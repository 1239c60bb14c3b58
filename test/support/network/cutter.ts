// A TCP proxy that cuts a connection in the middle of the client's bytes.
import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from './port.ts'

export interface Cutter {
  readonly port: number
  /** Cuts the next connection after this many bytes from the client. */
  cutAfter(bytes: number): void
  /** Whether the cut has happened. */
  hasCut(): boolean
  close(): Promise<void>
}

export async function startCutter(target_port: number): Promise<Cutter> {
  const sockets = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let cut = false
  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ port: target_port, host: '127.0.0.1', noDelay: true })
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy()
        sockets.delete(socket)
      }
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    let passes = left
    left = Number.POSITIVE_INFINITY
    client.on('data', (data: Buffer) => {
      upstream.write(data.subarray(0, passes))
      passes -= data.length
      if (passes > 0) return
      cut = true
      end()
    })
    upstream.pipe(client)
  })
  return {
    port: await listenOn(server),
    cutAfter(bytes) {
      left = bytes
      cut = false
    },
    hasCut: () => cut,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
