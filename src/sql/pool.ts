// A pool of connections to one database: a statement has a connection until it is answered, and a
// transaction until its end. A lost connection is replaced when it is needed.
import { setTimeout as delay } from 'node:timers/promises'
import { waitAtMost } from '../values/event-loop.ts'
import { type Connection, type ConnectionOptions, isPlanOutdated } from './connection.ts'
import { connectionError } from './failure.ts'
import { keepListening } from './listen.ts'
import { type Servers, serversOf } from './servers.ts'
import { makeTag, type Rows, type Send, type Sent, type Tag } from './sql.ts'
import { runTransaction, type Work } from './transact.ts'

/** Statements of one session, until it is released. */
interface SessionSql extends Tag {
  /** The server process that the session began with. */
  readonly pid: number
  release(): void
}

interface Listener {
  unlisten(): void
}

/** Statements of a pool. */
export interface Sql extends Tag {
  /**
   * Runs `work` in a transaction (transact.ts) that has a connection to its end. `mode` follows
   * BEGIN, such as `read only`. Runs it once more after a rollback because a migration has changed
   * the rows of a prepared statement: a caller need not notice an upgrade.
   */
  begin<T>(...given: [work: Work<T>] | [mode: string, work: Work<T>]): Promise<T>
  reserve(): Promise<SessionSql>
  /**
   * Calls `onNotification` for each notification, and `onListen` when it listens: the first time,
   * and again after a lost connection, when it may have missed notifications. Resolves when it
   * listens for the first time, and rejects when it cannot.
   */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onListen?: () => void,
  ): Promise<Listener>
  /**
   * Refuses new statements, and closes the connections once all statements are answered, or after
   * `timeout` seconds. It opens no more connections, not even for a caller who waits for one.
   */
  end(options?: { readonly timeout?: number }): Promise<void>
}

interface PoolOptions extends ConnectionOptions {
  /** How many connections there are at most. */
  readonly max: number
  /** How long a caller may wait for a connection; unlimited by default. */
  readonly wait_ms?: number | undefined
  /** Called when an open connection is lost before the end. */
  readonly onclose?: () => void
}

/** How long a server may take to close an idle connection. */
const GOODBYE_MS = 1_000

/** The pause after a failed attempt to connect, so that attempts do not burden the server. */
const pause_ms = () => 100 + Math.random() * 100

/** @throws DatabaseProblem for a URL that is not usable (url.ts) */
export function openPool(url: string, options: PoolOptions): Sql {
  const pool = new Pool(serversOf(url), options)
  return Object.assign(
    makeTag(async statement => pool.run(statement.written())),
    {
      begin: <T>(...[first, second]: [Work<T>] | [string, Work<T>]) =>
        typeof first === 'string' ? pool.begin(first, second as Work<T>) : pool.begin('', first),
      reserve: () => pool.reserve(),
      listen: (...given: Parameters<Sql['listen']>) => pool.listen(...given),
      end: (options: Parameters<Sql['end']>[0] = {}) => pool.end(options),
    },
  )
}

class Pool {
  readonly #servers: Servers
  readonly #options: PoolOptions
  /** Idle connections. The one used last is used next: it has most statements prepared. */
  readonly #idle: Connection[] = []
  readonly #connections = new Set<Connection>()
  /** How many connections are being opened. */
  #opening = 0
  readonly #waiting: PromiseWithResolvers<Connection>[] = []
  readonly #ended = new AbortController()
  /** Aborts attempts to connect, for which callers may still wait at the end. */
  readonly #closed = new AbortController()
  /** Resolves when the last connection in use comes back after the end. */
  #at_rest: PromiseWithResolvers<void> | undefined
  /** When to connect again, by performance.now(). */
  #connect_at = 0

  constructor(servers: Servers, options: PoolOptions) {
    this.#servers = servers
    this.#options = options
    servers.hold()
  }

  async run(statement: Sent): Promise<Rows> {
    const connection = await this.#take()
    try {
      return await connection.send(statement).catch(error => {
        if (!statement.prepare || !isPlanOutdated(error)) throw error
        return connection.send(statement)
      })
    } finally {
      this.#give(connection)
    }
  }

  async begin<T>(mode: string, work: Work<T>): Promise<T> {
    const connection = await this.#take()
    try {
      return await runTransaction(connection, mode, work).catch(error => {
        if (!isPlanOutdated(error)) throw error
        return runTransaction(connection, mode, work)
      })
    } finally {
      this.#give(connection)
    }
  }

  async reserve(): Promise<SessionSql> {
    const connection = await this.#take()
    let released = false
    const send: Send = async statement => {
      if (released) throw new Error('the session is released')
      return connection.send(statement.written())
    }
    const release = () => {
      if (released) return
      released = true
      if (connection.isInTransaction) connection.destroy()
      this.#give(connection)
    }
    return Object.assign(makeTag(send), { pid: connection.pid, release })
  }

  async listen(...[channel, onNotification, onListen]: Parameters<Sql['listen']>) {
    const unlistened = new AbortController()
    const listening = {
      open: (onLost: () => void) => this.#open(onLost),
      ended: AbortSignal.any([unlistened.signal, this.#ended.signal]),
      ...{ channel, onNotification, onListen },
    }
    await keepListening(listening)
    return { unlisten: () => unlistened.abort() }
  }

  async end({ timeout }: { readonly timeout?: number }): Promise<void> {
    this.#ended.abort()
    this.#at_rest ??= Promise.withResolvers()
    this.#restIfIdle()
    const { promise } = this.#at_rest
    await (timeout === undefined ? promise : waitAtMost(timeout * 1_000, promise))
    if (!this.#closed.signal.aborted) this.#servers.release()
    this.#closed.abort()
    for (const { reject } of this.#waiting.splice(0)) reject(poolClosed())
    const closed = [...this.#connections].map(connection =>
      this.#idle.includes(connection) ? connection.close() : connection.destroy(),
    )
    await waitAtMost(GOODBYE_MS, Promise.all(closed))
    for (const connection of this.#connections) connection.destroy()
    this.#connections.clear()
  }

  #take(): Promise<Connection> {
    if (this.#ended.signal.aborted) return Promise.reject(poolClosed())
    const connection = this.#idle.pop()
    if (connection !== undefined) return Promise.resolve(connection)
    const waiting = Promise.withResolvers<Connection>()
    this.#waiting.push(waiting)
    this.#connectIfNeeded()
    const { wait_ms } = this.#options
    return wait_ms === undefined ? waiting.promise : this.#takeWithin(wait_ms, waiting)
  }

  /** Rejects when no connection is free in time: a slow database must not gather callers. */
  async #takeWithin(
    wait_ms: number,
    waiting: PromiseWithResolvers<Connection>,
  ): Promise<Connection> {
    const timer = setTimeout(() => {
      const at = this.#waiting.indexOf(waiting)
      if (at === -1) return
      this.#waiting.splice(at, 1)
      waiting.reject(connectionError('CONNECT_TIMEOUT', 'no connection was free in time'))
      this.#restIfIdle()
    }, wait_ms)
    return waiting.promise.finally(() => clearTimeout(timer))
  }

  #give(connection: Connection): void {
    if (connection.isLost) this.#connectIfNeeded()
    else {
      const waiting = this.#waiting.shift()
      if (waiting === undefined) this.#idle.push(connection)
      else waiting.resolve(connection)
    }
    this.#restIfIdle()
  }

  #restIfIdle(): void {
    const in_use = this.#opening + this.#connections.size - this.#idle.length
    if (in_use === 0 && this.#waiting.length === 0) this.#at_rest?.resolve()
  }

  /** Opens a connection for the caller that has waited longest, if the pool may have one more. */
  #connectIfNeeded(): void {
    const count = this.#opening + this.#connections.size
    if (this.#waiting.length === 0 || count >= this.#options.max) return
    this.#opening += 1
    const opening = this.#open(connection => this.#forget(connection))
    opening.then(
      connection => {
        this.#opening -= 1
        if (!connection.isLost) this.#connections.add(connection)
        this.#give(connection)
      },
      error => {
        this.#opening -= 1
        this.#waiting.shift()?.reject(error)
        this.#connectIfNeeded()
        this.#restIfIdle()
      },
    )
  }

  async #open(onLost: (connection: Connection) => void): Promise<Connection> {
    const wait_ms = this.#connect_at - performance.now()
    if (wait_ms > 0) await delay(wait_ms)
    if (this.#ended.signal.aborted) throw poolClosed()
    try {
      const [options, ended] = [this.#options, this.#closed.signal]
      return await this.#servers.connect({ options, onLost, ended })
    } catch (error) {
      this.#connect_at = performance.now() + pause_ms()
      throw error
    }
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection)
    const at = this.#idle.indexOf(connection)
    if (at !== -1) this.#idle.splice(at, 1)
    if (!this.#ended.signal.aborted) this.#options.onclose?.()
    this.#connectIfNeeded()
    this.#restIfIdle()
  }
}

function poolClosed(): Error {
  return connectionError('CONNECTION_ENDED', 'the pool of connections is closed')
}
