// Sockets that detect a server that has vanished silently. After a failover, or behind a proxy that
// keeps half a connection open, TCP alone would wait for a quarter of an hour. The driver says
// whether an answer is due; this file knows nothing of the protocol.
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connectionError } from './failure.ts'

interface Watched {
  readonly socket: Socket
  /** Whether an answer is due, or a transaction is held at the server. */
  readonly isAwaited: () => boolean
  heard_at: number
  /** What was received by then. Behind TLS a socket has no `data` events. */
  heard_bytes: number
  /** When the wait for an answer was noticed; undefined while none is due. */
  waits_since: number | undefined
}

/** The connections of all pools to one server. */
interface Server {
  readonly connections: Set<Watched>
  readonly watching: NodeJS.Timeout
}

/** By address. */
const servers = new Map<string, Server>()

/**
 * A socket for pg, which connects it. If an answer is due and nothing is received for `silence_ms`,
 * the socket is destroyed, together with all sockets to that server that have received nothing
 * since: one by one, each would delay another caller. An idle connection may stay idle for ever.
 */
export function watchedSocket(silence_ms: number | undefined, isAwaited: () => boolean): Socket {
  const socket = new Socket()
  // A failure while nobody listens would end the process. The connection is told of the close.
  socket.on('error', () => {})
  const { connect } = socket
  socket.connect = ((port: number | string, host?: string) => {
    if (silence_ms !== undefined) {
      const since = { heard_at: performance.now(), heard_bytes: 0, waits_since: undefined }
      watch({ socket, isAwaited, ...since }, `${host}:${port}`, silence_ms)
    }
    connect.apply(socket, [port, host] as never)
    // Comes after: Node gives a socket that connects its own `write` again.
    gatherWrites(socket)
    return socket
  }) as Socket['connect']
  return socket
}

/** Has what fails while an answer is read end the connection: it would end the process. */
export function guardReader(stream: Duplex): void {
  const guarded = (read: (...given: unknown[]) => void) => {
    return (...given: unknown[]) => {
      try {
        read(...given)
      } catch (error) {
        stream.destroy(error as Error)
      }
    }
  }
  const readers = stream.listeners('data') as (() => void)[]
  stream.removeAllListeners('data')
  for (const read of readers) stream.on('data', guarded(read))
}

/** Larger ones are not copied. */
const SMALL = 16 * 1024

/**
 * Gathers what is written until the next tick, so that the ten statements of a batch are one write:
 * pg writes each in five pieces.
 */
function gatherWrites(socket: Socket): void {
  const write = socket.write.bind(socket) as (data: Uint8Array, done?: () => void) => boolean
  let gathered: Uint8Array[] = []
  const flush = () => {
    const pieces = gathered
    gathered = []
    if (pieces.length > 0) write(Buffer.concat(pieces))
  }
  socket.write = ((data: Uint8Array, done?: () => void) => {
    if (data.length > SMALL || typeof done === 'function') {
      flush()
      return write(data, done)
    }
    if (gathered.length === 0) process.nextTick(flush)
    gathered.push(data)
    return true
  }) as Socket['write']
}

/** Adds a connection to those to its server. */
function watch(one: Watched, name: string, silence_ms: number): void {
  const server = servers.get(name) ?? watchServer(silence_ms)
  servers.set(name, server)
  server.connections.add(one)
  one.socket.on('close', () => {
    server.connections.delete(one)
    if (server.connections.size > 0) return
    clearInterval(server.watching)
    servers.delete(name)
  })
}

/** Checks eight times within `silence_ms`. It may notice that much later that a wait has begun. */
function watchServer(silence_ms: number): Server {
  const connections = new Set<Watched>()
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
      if (one.socket.bytesRead > one.heard_bytes) {
        one.heard_bytes = one.socket.bytesRead
        one.heard_at = now
      }
      one.waits_since = one.isAwaited() ? (one.waits_since ?? now) : undefined
      const silent_since = Math.max(one.waits_since ?? now, one.heard_at)
      gone_at = Math.min(gone_at, silent_since)
    }
    if (now - gone_at < silence_ms) return
    const silent = connectionError('ETIMEDOUT', `the database was silent for ${silence_ms} ms`)
    for (const { socket, heard_at } of connections) {
      if (heard_at <= gone_at) socket.destroy(silent)
    }
  }
  return { connections, watching: setInterval(look, every_ms).unref() }
}
