// Sockets that detect a server that has vanished silently. After a failover, or behind a proxy that
// keeps half a connection open, TCP alone would wait for a quarter of an hour. The caller says
// whether an answer is due; this file does not know the protocol.
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connectionError } from './failure.ts'

interface Watched {
  readonly socket: Socket
  /** Whether an answer is due, or a transaction holds the connection. */
  readonly isAwaited: () => boolean
  /** When a check last noticed received bytes. */
  received_at: number
  /** The bytes received by then. They are polled: behind TLS a socket has no `data` events. */
  received_bytes: number
  /** When the wait for an answer was noticed; undefined while none is due. */
  waits_since: number | undefined
}

/** How often TCP asks a silent server whether it is there; the system decides what is undefined. */
interface Probes {
  readonly interval_s?: number | undefined
  /** The unanswered probes after which the connection is closed. */
  readonly count?: number | undefined
}

/** The connections of all pools to one server. */
interface Server {
  readonly connections: Set<Watched>
  readonly watching: NodeJS.Timeout
}

/** The servers of the process, by address. */
const servers = new Map<string, Server>()

/**
 * A socket for pg, which connects it. If an answer is due and nothing is received for `silence_ms`,
 * the socket is destroyed, together with all sockets to that server that have received nothing
 * since: one by one, each would delay another caller. An idle connection may stay idle for ever.
 */
export function watchedSocket(
  silence_ms: number | undefined,
  isAwaited: () => boolean,
  probes: Probes = {},
): Socket {
  const socket = new Socket()
  const { setKeepAlive } = socket
  // pg knows only when the first probe goes out.
  socket.setKeepAlive = (enable = false, idle_ms = 0) => {
    const every_ms = probes.interval_s === undefined ? undefined : probes.interval_s * 1_000
    return setKeepAlive.apply(socket, [enable, idle_ms, every_ms, probes.count] as never)
  }
  // Without a listener, an error event would end the process. pg reacts to the close event.
  socket.on('error', () => {})
  const { connect } = socket
  socket.connect = ((port: number | string, host?: string) => {
    if (silence_ms !== undefined) {
      const since = { received_at: performance.now(), received_bytes: 0, waits_since: undefined }
      watch({ socket, isAwaited, ...since }, `${host}:${port}`, silence_ms)
    }
    connect.apply(socket, [port, host] as never)
    // Follows `connect`, in which Node replaces the socket's `write` by its own.
    gatherWrites(socket)
    return socket
  }) as Socket['connect']
  return socket
}

/** Makes an exception of pg's reader close the connection. It would end the process otherwise. */
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

/** Larger writes are not copied, in bytes. */
const SMALL = 16 * 1024

/**
 * Gathers the writes until the next tick into one, because pg writes each statement in five pieces.
 * The ten statements of a batch are then one write.
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

/** Adds a connection to the set of its server, until it closes. */
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

/** Checks eight times within `silence_ms`. It may notice a wait one interval after its start. */
function watchServer(silence_ms: number): Server {
  const connections = new Set<Watched>()
  const every_ms = silence_ms / 8
  let checked_at = performance.now()
  const check = () => {
    const now = performance.now()
    // A process that was suspended has not read the data that arrived meanwhile.
    const late = now - checked_at > 2 * every_ms
    checked_at = now
    if (late) return
    let gone_at = now
    for (const one of connections) {
      if (one.socket.bytesRead > one.received_bytes) {
        one.received_bytes = one.socket.bytesRead
        one.received_at = now
      }
      one.waits_since = one.isAwaited() ? (one.waits_since ?? now) : undefined
      const silent_since = Math.max(one.waits_since ?? now, one.received_at)
      gone_at = Math.min(gone_at, silent_since)
    }
    if (now - gone_at < silence_ms) return
    const silent = connectionError('ETIMEDOUT', `the database was silent for ${silence_ms} ms`)
    for (const { socket, received_at } of connections) {
      if (received_at <= gone_at) socket.destroy(silent)
    }
  }
  return { connections, watching: setInterval(check, every_ms).unref() }
}
