// The servers of a database URL, one of which takes writes: the primary. Every connection of the
// process is opened here. It is kept only if its server says that it takes writes, and that no
// newer primary has been seen. Several servers are asked again and again, so that a promotion is
// followed at once (docs/high-availability.md).
import { waitAtMost } from '../values/event-loop.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { connectionError, isConnectionLost, NOT_PRIMARY, PostgresError } from './failure.ts'
import type { Identity } from './identity.ts'
import { choosePrimary, type Seen, whyRefused } from './primary.ts'
import { type Address, addressesOf } from './url.ts'

/** A choice waits so long for servers that do not answer: one of them may be the newer primary. */
const ASK_WITHIN_MS = 1_000
const CONNECT_TIMEOUT_S = 3
/** At first, it waits so much longer for a server whose machine has taken the connection. */
const BUSY_WITHIN_MS = 2_000
/** How often several servers are asked. */
const ASK_EVERY_MS = 1_000

const ASKING: ConnectionOptions = {
  connect_timeout: CONNECT_TIMEOUT_S,
  application_name: 'corridor asks',
  session: [],
  read_only: true,
}

interface Opening {
  readonly options: ConnectionOptions
  readonly onLost: (connection: Connection) => void
  /** Ends an attempt that nobody waits for any more. */
  readonly ended: AbortSignal
}

/**
 * The servers of each URL that the process has used, of which there are as many as settings and
 * machines of a spread database name: what they said holds until it ends.
 */
const known = new Map<string, Servers>()

/** @throws DatabaseProblem for a URL that is not usable (url.ts) */
export function serversOf(url: string): Servers {
  const servers = known.get(url) ?? new Servers(url)
  known.set(url, servers)
  return servers
}

export class Servers {
  readonly #url: string
  /** How many there are never changes. Their certificates may. */
  readonly #count: number
  /** What the newest primary so far has said, and which server it was. */
  #newest: Seen | undefined
  /** The number of the server to connect to; undefined until the servers are asked. */
  #primary: number | undefined
  #choosing: Promise<number> | undefined
  /** Open connections, and the timeline of the server of each. */
  readonly #open = new Map<Connection, number>()
  /** The questions that are not answered yet, by number. */
  readonly #asked = new Map<number, Promise<Identity>>()
  /** Connections that are being opened to ask a server. */
  readonly #opening = new Set<Connection>()
  /** Connections on which servers are asked, by number. */
  readonly #asking = new Map<number, Connection>()
  #holders = 0
  #timer: NodeJS.Timeout | undefined

  constructor(url: string) {
    this.#url = url
    this.#count = addressesOf(url).length
  }

  /** A pool begins to use the servers, which are asked again and again until it ends. */
  hold(): void {
    this.#holders += 1
    if (this.#count === 1 || this.#timer !== undefined) return
    this.#timer = setInterval(() => void this.#choose().catch(() => {}), ASK_EVERY_MS).unref()
  }

  release(): void {
    this.#holders -= 1
    if (this.#holders > 0) return
    // Nobody asks from now on, so whoever comes next must.
    this.#primary = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const connection of this.#asking.values()) connection.destroy()
    this.#asking.clear()
  }

  /** Opens a connection to the primary. Rejects if there is none, or it cannot be reached. */
  async connect(opening: Opening): Promise<Connection> {
    if (this.#count === 1) return this.#connectTo(0, opening)
    const known = this.#primary
    if (known !== undefined) {
      const connected = await this.#connectTo(known, opening).catch(() => undefined)
      if (connected !== undefined) return connected
    }
    // The servers say more than the one that was lost.
    return this.#connectTo(await this.#find(), opening)
  }

  /** A primary may be slow to answer: then the servers are asked again until it has. */
  async #find(): Promise<number> {
    const until = performance.now() + CONNECT_TIMEOUT_S * 1_000
    for (;;) {
      try {
        return await this.#choose()
      } catch (error) {
        if (this.#asked.size === 0 || performance.now() > until) throw error
      }
    }
  }

  async #connectTo(at: number, { options, onLost, ended }: Opening): Promise<Connection> {
    const connection = await this.#openOne(at, options, ended, (lost, reason) => {
      this.#open.delete(lost)
      if (isNotPrimary(reason)) this.#forget(at)
      onLost(lost)
    }).catch(error => {
      this.#forget(at)
      throw error
    })
    const { identity } = connection
    if (identity === undefined) return connection
    const seen = { at, ...identity }
    const refused = whyRefused(seen, this.#newest, this.#count)
    if (refused !== undefined) {
      this.#forget(at)
      const error = notPrimary(`${this.#addressAt(at).server} ${refused}`)
      connection.destroy(error)
      throw error
    }
    this.#learn(seen)
    if (!connection.isLost) this.#open.set(connection, identity.timeline)
    return connection
  }

  /** The next connection asks the servers again. */
  #forget(at: number): void {
    if (this.#primary === at) this.#primary = undefined
  }

  #addressAt(at: number): Address {
    return addressesOf(this.#url)[at] as Address
  }

  /** Tries each way of the address. Only what libpq tries again is tried by another way. */
  async #openOne(
    at: number,
    options: ConnectionOptions,
    ended: AbortSignal | undefined,
    onLost: (lost: Connection, reason: Error) => void,
  ): Promise<Connection> {
    const address = this.#addressAt(at)
    for (const [i, way] of address.ways.entries()) {
      if (ended?.aborted) break
      let opened = false
      const connection = new Connection(address, way, options, reason => {
        if (opened) onLost(connection, reason)
      })
      const end = () => connection.destroy()
      ended?.addEventListener('abort', end, { once: true })
      if (options === ASKING) this.#opening.add(connection)
      try {
        await connection.open()
        if (ended?.aborted) connection.destroy()
        opened = true
        return connection
      } catch (error) {
        if (i === address.ways.length - 1 || !isOfThisWay(error)) throw error
      } finally {
        ended?.removeEventListener('abort', end)
        this.#opening.delete(connection)
      }
    }
    throw connectionError('CONNECTION_ENDED', 'the pool of connections is closed')
  }

  /** Asks all servers, and chooses the primary. Callers at one moment share the answer. */
  #choose(): Promise<number> {
    this.#choosing ??= this.#askAll().finally(() => {
      this.#choosing = undefined
    })
    return this.#choosing
  }

  async #askAll(): Promise<number> {
    const answers: Seen[] = []
    const reasons: string[] = []
    const all = Array.from({ length: this.#count }, async (_, at) => {
      try {
        answers.push({ at, ...(await this.#askOnce(at)) })
      } catch (error) {
        reasons.push(`${this.#addressAt(at).server}: ${(error as Error).message}`)
      }
    })
    await waitAtMost(ASK_WITHIN_MS, Promise.all(all))
    // Whoever knows no primary yet could take a former one for it, while the newer one is busy.
    const busy = [...this.#opening].some(connection => connection.isTaken)
    if (this.#newest === undefined && busy) await waitAtMost(BUSY_WITHIN_MS, Promise.all(all))
    const choice = choosePrimary(answers, this.#newest, this.#primary)
    if ('reason' in choice) throw notPrimary([choice.reason, ...reasons].join('; '))
    this.#learn(choice)
    this.#primary = choice.at
    return choice.at
  }

  /** A server that still owes an answer is not asked again. */
  #askOnce(at: number): Promise<Identity> {
    const asked = this.#asked.get(at) ?? this.#ask(at).finally(() => void this.#asked.delete(at))
    this.#asked.set(at, asked)
    return asked
  }

  /** On a connection that is kept: each second, a new one would burden the server. */
  async #ask(at: number): Promise<Identity> {
    const kept = this.#asking.get(at)
    if (kept !== undefined) {
      const timer = setTimeout(() => kept.destroy(), CONNECT_TIMEOUT_S * 1_000)
      const told = await kept.identify().then(
        () => true,
        () => false,
      )
      clearTimeout(timer)
      if (told) return kept.identity as Identity
      kept.destroy()
    }
    const connection = await this.#openOne(at, ASKING, undefined, () => this.#asking.delete(at))
    if (this.#timer === undefined) connection.destroy()
    else this.#asking.set(at, connection)
    return connection.identity as Identity
  }

  /** Closes the connections to the former primary, however busy they are. */
  #learn(seen: Seen): void {
    const { system = '', timeline = 0 } = this.#newest ?? {}
    if (seen.system === system && seen.timeline <= timeline && seen.timeline > 0) return
    this.#newest = seen
    for (const [connection, of] of this.#open) {
      if (seen.system === system && of >= seen.timeline) continue
      if (system === '') continue
      connection.destroy(notPrimary('a newer primary has taken over'))
    }
  }
}

function notPrimary(words: string): Error {
  return connectionError(NOT_PRIMARY, words)
}

function isNotPrimary(error: unknown): boolean {
  return (error as { code?: unknown }).code === NOT_PRIMARY
}

/**
 * Whether another way may succeed: the server speaks no TLS, or its certificate is refused, or it
 * refuses the log-in by this way. A server that is not reached is not reached by another way.
 */
function isOfThisWay(error: unknown): boolean {
  if (error instanceof PostgresError) return error.code.startsWith('28')
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return /SSL/.test(message) || !isConnectionLost(error) || /^ERR_|CERT/.test(code)
}
