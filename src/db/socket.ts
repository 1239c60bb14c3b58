// Connections that give up on a server that has vanished without a word: after a failover, or
// behind a proxy that keeps half of a connection open, TCP alone would wait for a quarter of an
// hour. Of the protocol it knows how an answer ends when there is nothing more to come.
import { connect, type Socket } from 'node:net'

interface Endpoint {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path: string | false | undefined
  /** Encrypted, nothing can be known of what is said. */
  readonly ssl: unknown
}

interface Watched {
  readonly socket: Socket
  heard_at: number
  /** Since when something is to come; undefined when nothing is. */
  waits_since: number | undefined
}

/**
 * What is written is in memory anyway; told that a socket is full, postgres.js sends what is left
 * of a transaction statement by statement, each after the answer to the one before.
 */
const NEVER_FULL = { writableHighWaterMark: 64 * 1024 * 1024 }

/** All connections to one server, whichever pool they belong to. */
interface Server {
  readonly connections: Set<Watched>
  readonly watching: NodeJS.Timeout
}

/** Those of this process, by address. */
const servers = new Map<string, Server>()

/**
 * For the `socket` option of postgres.js: sockets that are destroyed when something is to come and
 * nothing has for `silence_ms`, and with the first of them all those to that server that have heard
 * nothing since: one by one, each would cost a caller its patience. An idle connection may stay
 * idle for ever. A socket is handed over while it connects: what is written waits, and a failure
 * arrives as on any socket.
 */
export function watchedSocket(silence_ms: number) {
  return ({ host, port, path, ssl }: Endpoint): Socket => {
    const socket = path
      ? connect({ path, ...NEVER_FULL })
      : connect({ port: port[0] ?? 5432, host: host[0] ?? 'localhost', ...NEVER_FULL })
    const one: Watched = { socket, heard_at: performance.now(), waits_since: undefined }
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
      one.waits_since ??= performance.now()
      gather(socket)
      return write.apply(socket, parameters)
    }) as Socket['write']
    socket.on('data', (bytes: Buffer) => {
      one.heard_at = performance.now()
      // What comes to a connection that has asked nothing is a notification.
      if (one.waits_since === undefined) return
      one.waits_since = ssl || isAll(bytes) ? undefined : one.heard_at
    })
    return socket.setNoDelay(true)
  }
}

/**
 * What is written before anything else happens goes out as one: a batch has ten statements, and
 * each call of the system costs as much as putting some of them together.
 */
function gather(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}

const Z = 0x5a
const I = 0x49

/** ReadyForQuery, outside a transaction: within one there is more to come. */
function isAll(bytes: Buffer): boolean {
  return bytes.at(-6) === Z && bytes.at(-1) === I
}

function watchServer(silence_ms: number): Server {
  const connections = new Set<Watched>()
  return { connections, watching: watch(connections, silence_ms) }
}

/** Looks eight times in that time. */
function watch(connections: ReadonlySet<Watched>, silence_ms: number): NodeJS.Timeout {
  const every_ms = silence_ms / 8
  let looked_at = performance.now()
  const look = () => {
    const now = performance.now()
    // A process that stood still has not read what has come meanwhile.
    const late = now - looked_at > 2 * every_ms
    looked_at = now
    if (late) return
    const gone_at = Math.min(...[...connections].map(({ waits_since = now }) => waits_since))
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
