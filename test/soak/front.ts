// A small TCP front before the processes of a service: it leads each connection to a process in
// turn, and to the next one when that does not take it.
import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from '../support/network/port.ts'

export interface TcpFront {
  readonly address: string
  close(): Promise<void>
}

export async function startTcpFront(ports: readonly number[]): Promise<TcpFront> {
  const sockets = new Set<Socket>()
  let turn = 0
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  }
  const lead = (client: Socket, from: number, left: number) => {
    const port = ports[from % ports.length] as number
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true })
    keep(upstream)
    let taken = false
    upstream.on('connect', () => {
      taken = true
      client.pipe(upstream).pipe(client)
    })
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => {
      if (!taken && left > 1 && !client.destroyed) return lead(client, from + 1, left - 1)
      return void client.destroy()
    })
  }
  const server = createServer({ noDelay: true }, client => {
    keep(client)
    lead(client, turn++, ports.length)
  })
  return {
    address: `http://127.0.0.1:${await listenOn(server)}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
