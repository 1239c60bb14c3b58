// A TCP proxy in front of a server, which a test can stop, silence and cut. It knows no protocol but
// the bytes a test tells it to look for.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  /** The url it was given, with its own host and port. */
  readonly url: string
  /** Ends every connection and refuses new ones, like a server that is down. */
  down(): Promise<void>
  /** Passes nothing on in either direction and keeps all connections, like a lost route. */
  silence(): void
  /** Forgets every connection there is, without a word to either side, and serves new ones. */
  forget(): void
  /** Takes connections and passes bytes on again, those held back first. */
  up(): Promise<void>
  /**
   * Cuts the connection on which the server says `bytes`, before the client hears it. For the next
   * `times` that it happens.
   */
  cutAt(bytes: string, times: number): void
  close(): Promise<void>
}

export async function startProxy(target: string): Promise<TcpProxy> {
  const to = new URL(target)
  const pairs = new Set<readonly [Socket, Socket]>()
  let silent = false
  let watched = ''
  let cuts = 0
  const server = createServer(client => {
    const upstream = connect(Number(to.port), to.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    client.on('data', data => upstream.write(data))
    upstream.on('data', data => {
      if (cuts === 0 || !data.includes(watched)) return client.write(data)
      cuts -= 1
      return client.resetAndDestroy()
    })
    for (const [one, other] of [pair, [upstream, client] as const]) {
      one.on('error', () => other.destroy())
      one.on('close', () => {
        pairs.delete(pair)
        other.destroy()
      })
      if (silent) one.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const destroy = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  const down = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    destroy()
    await closed
  }
  return {
    url: url.href,
    down,
    silence() {
      silent = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    forget() {
      for (const pair of pairs) {
        for (const socket of pair) socket.removeAllListeners('data').pause()
      }
    },
    async up() {
      silent = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
      if (server.listening) return
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    cutAt(bytes, times) {
      watched = bytes
      cuts = times
    },
    close: down,
  }
}
