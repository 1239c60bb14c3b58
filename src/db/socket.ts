// Sockets that detect a server that has vanished silently. After a failover, or behind a proxy that
// keeps half a connection open, TCP alone would wait for a quarter of an hour. The driver says
// whether an answer is due; this file knows nothing of the protocol.
import { connect, type Socket } from 'node:net'

/**
 * The Unix socket that a URL names as libpq reads it: the parameter `host` is the folder of the
 * socket, as in `postgres://corridor@localhost/corridor?host=/run/postgresql`. Undefined for TCP.
 * https://www.postgresql.org/docs/current/libpq-connect.html
 */
export function socketOf(url: string): string | undefined {
  const { searchParams, port } = new URL(url)
  const folder = searchParams.get('host')
  return folder?.startsWith('/') ? `${folder}/.s.PGSQL.${port || 5432}` : undefined
}

interface Endpoint {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path: string | false | undefined
}

/**
 * `isAwaited` is set by the patched driver: whether its connection waits for the server, or holds a
 * transaction there.
 */
type DriverSocket = Socket & { readonly isAwaited?: () => boolean }

interface Watched {
  readonly socket: DriverSocket
  heard_at: number
  /** When the wait for an answer was noticed; undefined while none is due. */
  waits_since: number | undefined
}

/**
 * A write buffer that never fills: its data is in memory anyway. When a socket reports a full
 * buffer, postgres.js stops pipelining and sends each statement after the answer to the one before.
 */
const NEVER_FULL = { writableHighWaterMark: 64 * 1024 * 1024 }

/** The connections of all pools to one server. */
interface Server {
  readonly connections: Set<Watched>
  readonly watching: NodeJS.Timeout
}

/** By address. */
const servers = new Map<string, Server>()

/**
 * The `socket` option of postgres.js. A socket that waits for an answer and receives nothing for
 * `silence_ms` is destroyed, together with all sockets to that server that have received nothing
 * since: one by one, each would delay another caller. An idle connection may stay idle for ever.
 * The socket is returned while it connects; writes wait, and failures arrive as `error` events.
 */
export function watchedSocket(silence_ms: number) {
  return ({ host, port, path }: Endpoint): Socket => {
    const socket = path
      ? connect({ path, ...NEVER_FULL })
      : connect({ port: port[0] ?? 5432, host: host[0] ?? 'localhost', ...NEVER_FULL })
    const one: Watched = { socket, heard_at: performance.now(), waits_since: undefined }
    // A failure before the driver listens would end the process. The driver is told of the close.
    socket.on('error', () => {})
    const name = path || `${host[0]}:${port[0]}`
    const server = servers.get(name) ?? watchServer(silence_ms)
    servers.set(name, server)
    server.connections.add(one)
    socket.on('close', () => {
      server.connections.delete(one)
      if (server.connections.size > 0) return
      clearInterval(server.watching)
      servers.delete(name)
    })
    const write = socket.write
    socket.write = ((...parameters: Parameters<Socket['write']>) => {
      gather(socket)
      return write.apply(socket, parameters)
    }) as Socket['write']
    socket.on('data', () => {
      one.heard_at = performance.now()
    })
    return socket.setNoDelay(true)
  }
}

/** Corks the socket until the next tick, so that the ten statements of a batch are one write. */
function gather(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}

function watchServer(silence_ms: number): Server {
  const connections = new Set<Watched>()
  return { connections, watching: watch(connections, silence_ms) }
}

/** Checks eight times within `silence_ms`. It may notice that much later that a wait has begun. */
function watch(connections: ReadonlySet<Watched>, silence_ms: number): NodeJS.Timeout {
  const every_ms = silence_ms / 8
  let looked_at = performance.now()
  const look = () => {
    const now = performance.now()
    // A process that was suspended has not read the data that arrived meanwhile.
    const late = now - looked_at > 2 * every_ms
    looked_at = now
    if (late) return
    let gone_at = now
    for (const one of connections) {
      one.waits_since = one.socket.isAwaited?.() ? (one.waits_since ?? now) : undefined
      const silent_since = Math.max(one.waits_since ?? now, one.heard_at)
      gone_at = Math.min(gone_at, silent_since)
    }
    if (now - gone_at < silence_ms) return
    for (const { socket, heard_at } of connections) {
      if (heard_at <= gone_at) socket.destroy(silent(silence_ms))
    }
  }
  return setInterval(look, every_ms).unref()
}

function silent(silence_ms: number): Error {
  return Object.assign(new Error(`the database was silent for ${silence_ms} ms`), {
    code: 'ETIMEDOUT',
  })
}
