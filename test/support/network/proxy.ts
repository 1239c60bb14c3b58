// A TCP proxy in front of PostgreSQL, which does to the connections what networks do: it stops,
// silences, delays, resets and cuts them; and which answers a COMMIT that has happened with an error, as
// a distributed engine may. Of the protocol it knows where a message ends and which one is a COMMIT.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from './port.ts'

/** Where a connection is cut: what the server has heard, and what the client hears of it. */
export type Cut = 'before COMMIT' | 'behind COMMIT' | 'before its answer'

/** A statement by which something is committed, and the tag that answers it. */
export interface Commit {
  readonly text: RegExp
  readonly tag: string
}

/** How a transaction ends (src/db/transact.ts). */
const OF_BATCH: Commit = { text: /^commit$/, tag: 'COMMIT' }

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
  /**
   * Forgets the connection that says the next statement like this one, once it has passed on the
   * statement, and not yet the Sync behind it.
   */
  forgetUnsynced(statement: RegExp): void
  /** Resets every connection, and new ones as they come. */
  reset(): void
  /** Ends its half of every connection towards the client, and of new ones as they come. */
  halfClose(): void
  slow(how: Slowness): void
  /** Takes connections and passes bytes on at once again, those held back first. */
  up(): Promise<void>
  /** Cuts the connection at this place of the next COMMIT, so many times: a batch's, if not said. */
  cutCommits(where: Cut, times: number, commit?: Commit): void
  /** Cuts that have not happened yet. */
  cutsLeft(): number
  /**
   * Answers COMMIT with this SQLSTATE, although the server has committed, so many times: of
   * transactions that hold a statement like this one.
   */
  answerCommits(code: string, times: number, statement: RegExp): void
  /** Such answers that have not been given yet. */
  answersLeft(): number
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
  /** Its COMMIT is answered with this SQLSTATE. */
  answer: string | undefined
}

export async function startProxy(target: string): Promise<TcpProxy> {
  const to = new URL(target)
  const pairs = new Set<Pair>()
  /** Neither side of them hears anything of the other. */
  const forgotten = new Set<Pair>()
  let welcome: Welcome = 'pass'
  let slowness: Slowness = {}
  let cut: Cut = 'before COMMIT'
  let cuts = 0
  let commit = OF_BATCH
  let answer = { code: '', times: 0, statement: /./ }
  let taken = 0
  let unsynced: RegExp | undefined

  const isCutAt = (pair: Pair, where: Cut, heard: Buffer = Buffer.alloc(0)) => {
    if (cuts === 0 || cut !== where) return false
    cuts -= 1
    pairs.delete(pair)
    // What the client has heard by then, such as the answers to the statements before.
    pair.client.write(heard, () => pair.client.resetAndDestroy())
    // What was passed on comes first, then the end.
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
        // After a cut the server is left to what it was told, and for ever once it is forgotten.
        if (pairs.delete(pair)) other.destroy()
      })
    }
    treat(pair, welcome)
  })
  const port = await listenOn(server)
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  // Nobody passes it by through the server's socket.
  url.search = ''
  const treatAll = (how: Welcome) => {
    welcome = how
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

/** What the client hears of what the server says: the same, but for a COMMIT answered otherwise. */
function answerCommit(pair: Pair): (data: Buffer) => Buffer {
  const cut = cutMessages(true)
  const hear = ({ type, bytes }: { type: string; bytes: Buffer }): Buffer => {
    if (pair.answer === undefined || type !== 'C' || !bytes.includes('COMMIT\0')) return bytes
    const error = message('E', `SERROR\0VERROR\0C${pair.answer}\0Mcommitted, and not told so\0\0`)
    pair.answer = undefined
    return error
  }
  return data => Buffer.concat(cut(data).map(hear))
}

function message(type: string, text: string): Buffer {
  const bytes = Buffer.from(`${type}....${text}`)
  bytes.writeUInt32BE(bytes.length - 1, 1)
  return bytes
}

interface Message {
  readonly bytes: Buffer
  /** The COMMIT of a batch begins with this message, or ends with it. */
  readonly begins: boolean
  readonly ends: boolean
  /** With this message any COMMIT ends, of a transaction that held these statements. */
  readonly committed: readonly string[]
  /** This is the Sync behind that statement. */
  readonly syncs: string | undefined
}

/** A COMMIT is a query of its own. One of a transaction that only reads is none of a batch. */
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
      if (text !== undefined) statements.push(text)
      const asked = type === 'Q' ? first : text
      if (asked?.startsWith('begin')) reads = asked.includes('read only')
      const begins = !committing && !reads && asked !== undefined && commit().test(asked)
      committing ||= begins
      const ends = committing && (type === 'S' || type === 'Q')
      if (ends) committing = false
      const committed = type === 'Q' && first === 'commit' ? statements : []
      const syncs = type === 'S' ? statements.at(-1) : undefined
      // BEGIN, and ROLLBACK, are statements of their own.
      if (type === 'Q') statements = []
      return { bytes, begins, ends, committed, syncs }
    })
}

/** Cuts what a client says into whole messages; the first has no type, unless it `started` before. */
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
