// Connections that give up on a server that has vanished without a word: after a failover, or
// behind a proxy that keeps half of a connection open, TCP alone would wait for a quarter of an
// hour.
import { connect, type Socket } from 'node:net'

interface Endpoint {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path: string | false | undefined
}

/**
 * For the `socket` option of postgres.js: a socket that is destroyed when something was asked and
 * nothing has come back for `silence_ms`. An idle connection may stay idle for ever. It is handed
 * over while it connects: what is written waits, and a failure arrives as on any socket.
 */
export function watchedSocket(silence_ms: number) {
  return ({ host, port, path }: Endpoint): Socket => {
    const socket = path ? connect(path) : connect(port[0] ?? 5432, host[0] ?? 'localhost')
    let asked = false
    const write = socket.write
    socket.write = ((...parameters: Parameters<Socket['write']>) => {
      asked = true
      return write.apply(socket, parameters)
    }) as Socket['write']
    socket.on('data', () => {
      asked = false
    })
    socket.setNoDelay(true).setTimeout(silence_ms)
    socket.on('timeout', () => {
      if (asked) socket.destroy(silent(silence_ms))
    })
    return socket
  }
}

function silent(silence_ms: number): Error {
  return Object.assign(new Error(`the database was silent for ${silence_ms} ms`), {
    code: 'ETIMEDOUT',
  })
}
