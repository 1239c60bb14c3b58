// Finds free ports of this machine.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** Makes the server listen on a free port; returns the port. */
export async function listenOn(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOn(server)
  server.close()
  await once(server, 'close')
  return port
}
