// A TCP proxy in front of PostgreSQL that breaks connections as networks do: it stops, silences,
// delays, resets and cuts them. It also answers a successful COMMIT with an error, as a distributed
// engine may. It knows where a protocol message ends and which one is a COMMIT.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from './port.ts'

/**
 * Where a connection is cut: before the server gets the COMMIT, after it, or before the client gets
 * the answer.
 */
export type Cut = 'before COMMIT' | 'behind COMMIT' | 'before its answer'

/** A statement that commits, and the command tag of its answer. */
export interface Commit {
  readonly text: RegExp
  readonly tag: string
}

/** How a transaction of src/sql/transact.ts commits. */
const OF_BATCH: Commit = { text: /^commit$/, tag: 'COMMIT' }

/** How bytes travel, in both directions. */
export interface Slowness {
  /** The delay of every byte. */
  readonly latency_ms?: number
  /** The bandwidth. */
  readonly bytes_per_s?: number
}

export interface TcpProxy {
  /** The url it was given, with its own host and port. */
  readonly url: string
  /** Ends every connection and refuses new ones, like a server that is down. */
  down(): Promise<void>
  /**
   * Keeps all connections and passes nothing on in either direction, as if the network route were
   * lost.
   */
  silence(): void
  /** Stops serving every open connection without closing it, and serves new ones. */
  forget(): void
  /**
   * Forgets the connection of the next statement like this one, between the statement and its Sync.
   */
  forgetUnsynced(statement: RegExp): void
  /** Resets every open and every new connection. */
  reset(): void
  /** Half-closes every open and every new connection towards the client. */
  halfClose(): void
  slow(how: Slowness): void
  /** Works normally again: takes connections and passes bytes on at once, delayed bytes first. */
  up(): Promise<void>
  /**
   * Cuts the connection at this place of the next `times` COMMITs; without `commit`, those of
   * OF_BATCH.
   */
  cutCommits(where: Cut, times: number, commit?: Commit): void
  /** Cuts that have not happened yet. */
  cutsLeft(): number
  /**
   * Answers the next `times` COMMITs with this SQLSTATE although the server has committed: COMMITs
   * of transactions with a statement like this one.
   */
  answerCommits(code: string, times: number, statement: RegExp): void
  /** Such answers that are still to come. */
  answersLeft(): number
  /** How many connections it has accepted so far. */
  taken(): number
  close(): Promise<void>
}

/** How the proxy treats a connection. */
type Treatment = 'pass' | 'silence' | 'reset' | 'half close'

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
  /** The server has received the COMMIT of a batch and has not answered. */
  committing: boolean
  /** The SQLSTATE with which the proxy answers its COMMIT. */
  answer: string | undefined
}

export async function startProxy(target: string): Promise<TcpProxy> {
  const to = new URL(target)
  const pairs = new Set<Pair>()
  /** Connections of which neither side gets bytes of the other. */
  const forgotten = new Set<Pair>()
  let treatment: Treatment = 'pass'
  let slowness: Slowness = {}
  let cut: Cut = 'before COMMIT'
  let cuts = 0
  let commit = OF_BATCH
  let answer = { code: '', times: 0, statement: /./ }
  let taken = 0
  let unsynced: RegExp | undefined

  const isCutAt = (pair: Pair, where: Cut, answers: Buffer = Buffer.alloc(0)) => {
    if (cuts === 0 || cut !== where) return false
    cuts -= 1
    pairs.delete(pair)
    // The client first gets the answers to the earlier statements.
    pair.client.write(answers, () => pair.client.resetAndDestroy())
    // The server reads the bytes that were passed on before it sees the end.
    pair.upstream.removeAllListeners('data').resume().end()
    return true
  }
  const forget = (pair: Pair) => {
    pairs.delete(pair)
    forgotten.add(pair)
    for (const socket of [pair.client, pair.upstream]) socket.removeAllListeners('data').pause()
  }
  const answerOf = (statements: readonly string[]) => {
    const { code, times, statement } = answer
    if (times === 0 || !statements.some(text => statement.test(text))) return undefined
    answer = { ...answer, times: times - 1 }
    return code
  }
  // Messages are passed on one by one: Nagle's algorithm would hold each for 40 ms.
  const noDelay = true
  const server = createServer({ noDelay }, client => {
    const upstream = connect({ port: Number(to.port), host: to.hostname, noDelay })
    const pair: Pair = { client, upstream, committing: false, answer: undefined }
    pairs.add(pair)
    taken += 1
    const upwards = travel(upstream, () => slowness)
    const downwards = travel(client, () => slowness)
    const read = readMessages(() => commit.text)
    const answered = answerCommit(pair)
    client.on('data', (data: Buffer) => {
      for (const { bytes, begins, ends, committed, syncs } of read(data)) {
        if (syncs !== undefined && unsynced?.test(syncs) === true) {
          unsynced = undefined
          return forget(pair)
        }
        if (begins && isCutAt(pair, 'before COMMIT')) return
        pair.answer ??= answerOf(committed)
        upwards(bytes)
        if (ends && isCutAt(pair, 'behind COMMIT')) return
        pair.committing ||= ends
      }
    })
    upstream.on('data', (data: Buffer) => {
      const at = pair.committing ? data.indexOf(`${commit.tag}\0`) : -1
      if (at !== -1) {
        pair.committing = false
        // A message begins with its type and its length.
        if (isCutAt(pair, 'before its answer', data.subarray(0, Math.max(0, at - 5)))) return
      }
      const passed = answered(data)
      if (passed.length > 0) downwards(passed)
    })
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      one.on('error', () => forgotten.has(pair) || other.destroy())
      one.on('close', () => {
        // After a cut the server finishes its statements; a forgotten connection stays open.
        if (pairs.delete(pair)) other.destroy()
      })
    }
    treat(pair, treatment)
  })
  const port = await listenOn(server)
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  // Without the query, no client can go past the proxy to the server's Unix socket.
  url.search = ''
  const treatAll = (how: Treatment) => {
    treatment = how
    for (const pair of pairs) treat(pair, how)
  }
  const down = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const { client, upstream } of [...pairs, ...forgotten]) {
      client.destroy()
      upstream.destroy()
    }
    forgotten.clear()
    await closed
  }
  return {
    url: url.href,
    down,
    silence: () => treatAll('silence'),
    forget: () => pairs.forEach(forget),
    forgetUnsynced(statement) {
      unsynced = statement
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
    cutCommits(where, times, of = OF_BATCH) {
      cut = where
      cuts = times
      commit = of
    },
    cutsLeft: () => cuts,
    answerCommits(code, times, statement) {
      answer = { code, times, statement }
    },
    answersLeft: () => answer.times,
    taken: () => taken,
    close: down,
  }
}

function treat({ client, upstream }: Pair, how: Treatment): void {
  if (how === 'reset') client.resetAndDestroy()
  else if (how === 'half close') client.end()
  else if (how === 'silence') for (const socket of [client, upstream]) socket.pause()
  else for (const socket of [client, upstream]) socket.resume()
}

/** With a limited bandwidth bytes go out in pieces of this size. */
const PIECE_BYTES = 16
const LOOK_EVERY_MS = 10

/** Writes to a socket in order, with the delay and bandwidth of that moment. */
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

/** Passes the server's messages on, and replaces the answer to a COMMIT by the pair's error. */
function answerCommit(pair: Pair): (data: Buffer) => Buffer {
  const cut = cutMessages(true)
  const replace = ({ type, bytes }: { type: string; bytes: Buffer }): Buffer => {
    if (pair.answer === undefined || type !== 'C' || !bytes.includes('COMMIT\0')) return bytes
    const error = message('E', `SERROR\0VERROR\0C${pair.answer}\0Mcommitted, and not told so\0\0`)
    pair.answer = undefined
    return error
  }
  return data => Buffer.concat(cut(data).map(replace))
}

function message(type: string, text: string): Buffer {
  const bytes = Buffer.from(`${type}....${text}`)
  bytes.writeUInt32BE(bytes.length - 1, 1)
  return bytes
}

interface Message {
  readonly bytes: Buffer
  /** Whether this is the first, or the last, message of a COMMIT of a batch. */
  readonly begins: boolean
  readonly ends: boolean
  /** The statements of the transaction that this message commits; empty for any other message. */
  readonly committed: readonly string[]
  /** The statement before this Sync; undefined for any other message. */
  readonly syncs: string | undefined
}

/**
 * Finds COMMITs in the client's messages. The COMMIT of a read-only transaction does not count as a
 * batch's.
 */
function readMessages(commit: () => RegExp): (bytes: Buffer) => Message[] {
  const cut = cutMessages()
  const texts = new Map<string, string>()
  let statements: string[] = []
  let reads = false
  let committing = false
  return data =>
    cut(data).map(({ type, bytes }) => {
      const [first = '', second = ''] = bytes
        .toString('latin1', 5, type === 'P' ? undefined : 200)
        .split('\0', 2)
      if (type === 'P') texts.set(first, second)
      const text = type === 'P' ? second : type === 'B' ? texts.get(second) : undefined
      if (text?.startsWith('begin')) {
        statements = []
        reads = text.includes('read only')
      }
      if (text !== undefined) statements.push(text)
      const begins = !committing && !reads && text !== undefined && commit().test(text)
      committing ||= begins
      const ends = committing && type === 'S'
      if (ends) committing = false
      const committed = type === 'B' && text === 'commit' ? statements : []
      const syncs = type === 'S' ? statements.at(-1) : undefined
      return { bytes, begins, ends, committed, syncs }
    })
}

/**
 * Splits a client's bytes into whole messages. The first message has no type, unless the connection
 * has `started`.
 */
export function cutMessages(started = false): (data: Buffer) => { type: string; bytes: Buffer }[] {
  let left = Buffer.alloc(0)
  let typed = started
  return data => {
    left = Buffer.concat([left, data])
    const messages: { type: string; bytes: Buffer }[] = []
    for (;;) {
      const header = typed ? 1 : 0
      if (left.length < header + 4) return messages
      const length = header + left.readUInt32BE(header)
      if (left.length < length) return messages
      const bytes = left.subarray(0, length)
      left = left.subarray(length)
      messages.push({ type: typed ? String.fromCharCode(bytes[0] ?? 0) : '', bytes })
      typed = true
    }
  }
}
