// A TCP proxy in front of PostgreSQL, which does to the connections what networks do: it stops,
// silences, delays, resets and cuts them. Of the protocol it knows where a message ends and which one
// is the COMMIT of a batch.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Where a connection is cut: what the server has heard, and what the client hears of it. */
export type Cut = 'before COMMIT' | 'behind COMMIT' | 'before its answer'

/** How bytes travel, in both directions. */
export interface Slowness {
  /** Every byte arrives so much later. */
  readonly latency_ms?: number
  /** As many as travel at all. */
  readonly bytes_per_s?: number
}

export interface TcpProxy {
  /** The url it was given, with its own host and port. */
  readonly url: string
  /** Ends every connection and refuses new ones, like a server that is down. */
  down(): Promise<void>
  /** Passes nothing on in either direction and keeps all connections, like a lost route. */
  silence(): void
  /** Forgets every connection there is, without a word to either side, and serves new ones. */
  forget(): void
  /** Resets every connection, and new ones as they come. */
  reset(): void
  /** Ends its half of every connection towards the client, and of new ones as they come. */
  halfClose(): void
  slow(how: Slowness): void
  /** Takes connections and passes bytes on at once again, those held back first. */
  up(): Promise<void>
  /** Cuts the connection at this place of the next COMMIT of a batch, so many times. */
  cutCommits(where: Cut, times: number): void
  /** Cuts that have not happened yet. */
  cutsLeft(): number
  /** How many connections it has taken so far. */
  taken(): number
  close(): Promise<void>
}

/** What becomes of a new connection. */
type Welcome = 'pass' | 'silence' | 'reset' | 'half close'

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
  /** The server has been told to COMMIT a batch and has not answered. */
  committing: boolean
}

export async function startProxy(target: string): Promise<TcpProxy> {
  const to = new URL(target)
  const pairs = new Set<Pair>()
  let welcome: Welcome = 'pass'
  let slowness: Slowness = {}
  let cut: Cut = 'before COMMIT'
  let cuts = 0
  let taken = 0

  const isCutAt = (pair: Pair, where: Cut) => {
    if (cuts === 0 || cut !== where) return false
    cuts -= 1
    pairs.delete(pair)
    pair.client.resetAndDestroy()
    // What was passed on comes first, then the end.
    pair.upstream.removeAllListeners('data').resume().end()
    return true
  }
  // Messages are passed on one by one: Nagle's algorithm would hold each for 40 ms.
  const noDelay = true
  const server = createServer({ noDelay }, client => {
    const upstream = connect({ port: Number(to.port), host: to.hostname, noDelay })
    const pair: Pair = { client, upstream, committing: false }
    pairs.add(pair)
    taken += 1
    const upwards = travel(upstream, () => slowness)
    const downwards = travel(client, () => slowness)
    const read = readMessages()
    client.on('data', (data: Buffer) => {
      for (const { bytes, begins, ends } of read(data)) {
        if (begins && isCutAt(pair, 'before COMMIT')) return
        upwards(bytes)
        if (ends && isCutAt(pair, 'behind COMMIT')) return
        pair.committing ||= ends
      }
    })
    upstream.on('data', (data: Buffer) => {
      if (pair.committing && data.includes('COMMIT\0')) {
        pair.committing = false
        if (isCutAt(pair, 'before its answer')) return
      }
      downwards(data)
    })
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      one.on('error', () => other.destroy())
      one.on('close', () => {
        // After a cut the server is left to what it was told.
        if (pairs.delete(pair)) other.destroy()
      })
    }
    treat(pair, welcome)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const treatAll = (how: Welcome) => {
    welcome = how
    for (const pair of pairs) treat(pair, how)
  }
  const down = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const { client, upstream } of pairs) {
      client.destroy()
      upstream.destroy()
    }
    await closed
  }
  return {
    url: url.href,
    down,
    silence: () => treatAll('silence'),
    forget() {
      for (const { client, upstream } of pairs) {
        for (const socket of [client, upstream]) socket.removeAllListeners('data').pause()
      }
    },
    reset: () => treatAll('reset'),
    halfClose: () => treatAll('half close'),
    slow(how) {
      slowness = how
    },
    async up() {
      slowness = {}
      treatAll('pass')
      if (server.listening) return
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    cutCommits(where, times) {
      cut = where
      cuts = times
    },
    cutsLeft: () => cuts,
    taken: () => taken,
    close: down,
  }
}

function treat({ client, upstream }: Pair, how: Welcome): void {
  if (how === 'reset') client.resetAndDestroy()
  else if (how === 'half close') client.end()
  else if (how === 'silence') for (const socket of [client, upstream]) socket.pause()
  else for (const socket of [client, upstream]) socket.resume()
}

/** Slow bytes travel in pieces of this size. */
const PIECE_BYTES = 16
const LOOK_EVERY_MS = 10

/** Writes to a socket, in order, as late and as slowly as is wanted at that moment. */
function travel(socket: Socket, slowness: () => Slowness): (bytes: Buffer) => void {
  const under_way: { readonly bytes: Buffer; readonly due_at: number }[] = []
  let timer: NodeJS.Timeout | undefined
  const arrive = () => {
    const { latency_ms, bytes_per_s } = slowness()
    const clear = latency_ms === undefined && bytes_per_s === undefined
    for (let [next] = under_way; next !== undefined; [next] = under_way) {
      if (!clear && next.due_at > performance.now()) return
      if (!socket.destroyed) socket.write(next.bytes)
      under_way.shift()
    }
    clearInterval(timer)
    timer = undefined
  }
  return bytes => {
    const { latency_ms = 0, bytes_per_s = Number.POSITIVE_INFINITY } = slowness()
    if (timer === undefined && latency_ms === 0 && bytes_per_s === Number.POSITIVE_INFINITY) {
      socket.write(bytes)
      return
    }
    const size = bytes_per_s === Number.POSITIVE_INFINITY ? bytes.length : PIECE_BYTES
    let due_at = Math.max(performance.now() + latency_ms, under_way.at(-1)?.due_at ?? 0)
    for (let from = 0; from < bytes.length; from += size) {
      due_at += (1_000 * size) / bytes_per_s
      under_way.push({ bytes: bytes.subarray(from, from + size), due_at })
    }
    timer ??= setInterval(arrive, LOOK_EVERY_MS)
  }
}

interface Message {
  readonly bytes: Buffer
  /** The COMMIT of a batch begins with this message, or ends with it. */
  readonly begins: boolean
  readonly ends: boolean
}

/** How a lane ends its transaction (src/db/transact.ts). */
const COMMIT = 'commit and chain'

/**
 * A COMMIT is parsed once on a connection, under a name, and from then on bound by it; the Sync
 * behind it has the server carry it out.
 */
function readMessages(): (bytes: Buffer) => Message[] {
  const cut = cutMessages()
  let name: string | undefined
  let committing = false
  return data =>
    cut(data).map(({ type, bytes }) => {
      const [first, second] = bytes.toString('latin1', 5, 200).split('\0', 2)
      const parses = type === 'P' && second === COMMIT
      if (parses) name = first
      const begins = !committing && (parses || (type === 'B' && second === name))
      committing ||= begins
      const ends = committing && type === 'S'
      if (ends) committing = false
      return { bytes, begins, ends }
    })
}

/** Cuts what a client says into whole messages; the first has no type. */
export function cutMessages(): (data: Buffer) => { type: string; bytes: Buffer }[] {
  let left = Buffer.alloc(0)
  let started = false
  return data => {
    left = Buffer.concat([left, data])
    const messages: { type: string; bytes: Buffer }[] = []
    for (;;) {
      const header = started ? 1 : 0
      if (left.length < header + 4) return messages
      const length = header + left.readUInt32BE(header)
      if (left.length < length) return messages
      const bytes = left.subarray(0, length)
      left = left.subarray(length)
      messages.push({ type: started ? String.fromCharCode(bytes[0] ?? 0) : '', bytes })
      started = true
    }
  }
}
