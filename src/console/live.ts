// Tells open pages what has changed, as it happens, by server-sent events. One loop in each process
// looks at the accounts that somebody watches, and for operators at all of them. Each stream ends
// with the session of its reader.
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sql } from '../db/connect.ts'
import type { Reads } from '../engine/reads.ts'
import { rateLimited, refusal } from '../errors.ts'
import { countEvents, listEventsAfter } from '../event/store.ts'
import { mayRunInstallation } from '../user/rules.ts'
import { listOpenSessions } from '../user/session-store.ts'
import type { Person } from '../user/user.ts'
import { ANYTHING, DeskNews } from './live-desk.ts'

export interface LiveNeeds extends Reads {
  /** Sees all accounts. */
  readonly desk: { readonly audit: Sql }
  readonly log: { warn(details: object, message: string): void }
  readonly reference: { current(): { readonly people: ReadonlyMap<string, Person> } }
}

interface Watcher {
  readonly user: string
  /** Null for a reader who watches the installation. */
  readonly account_id: string | null
  /** The hash of its session, in hex. */
  readonly session: string
  readonly stream: PassThrough
  /** The number of the last event that the stream was told of. */
  seen: bigint
}

const LOOK_EVERY_MS = 400
/** Every how many looks it looks at all accounts. */
const LOOKS_OF_DESK = 5
/** A proxy closes a connection on which nothing comes. */
const BEAT_EVERY_MS = 10_000
/** Most changes told at once. A page that was away for longer is read anew. */
const MOST_CHANGES = 100
/** Most streams of a process, and of a session. */
const MOST_STREAMS = { all: 1_000, of_session: 20 }
/** How much a browser may leave unread before its stream is closed. */
const MOST_UNREAD_BYTES = 64 * 1024

export class Live {
  readonly #watchers = new Set<Watcher>()
  readonly #deps: LiveNeeds
  readonly #lifecycle: { readonly draining: boolean }
  #timer: NodeJS.Timeout | undefined
  #looks = 0
  #desk: DeskNews | undefined

  constructor(deps: LiveNeeds, lifecycle: { readonly draining: boolean }) {
    this.#deps = deps
    this.#lifecycle = lifecycle
  }

  /**
   * Answers with a stream of changes of the account, or of all accounts for null, from after the
   * event that the request names.
   */
  async open(request: FastifyRequest, reply: FastifyReply, account_id: string | null) {
    const { person, session } = request
    if (person === null || session === null) {
      throw refusal('insufficient_scope', 'This is for the session of a person.')
    }
    if (!mayWatch(person, account_id)) {
      throw refusal('insufficient_scope', `${person.user} is neither operator nor auditor.`)
    }
    const hash = session.token_hash.toString('hex')
    const own = [...this.#watchers].filter(watcher => watcher.session === hash)
    if (this.#watchers.size >= MOST_STREAMS.all || own.length >= MOST_STREAMS.of_session) {
      throw rateLimited('Too many pages are open.', 10)
    }
    const { after } = request.query as { readonly after?: unknown }
    const last = request.headers['last-event-id'] ?? after
    const known = typeof last === 'string' && /^\d{1,18}$/.test(last) ? BigInt(last) : undefined
    const head = await this.headOf(account_id)
    const stream = new PassThrough({ highWaterMark: MOST_UNREAD_BYTES })
    const seen = known !== undefined && known < head ? known : head
    const watcher = { user: person.user, account_id, session: hash, stream, seen }
    stream.write(`retry: 1000\nid: ${seen}\n\n`)
    this.#watchers.add(watcher)
    stream.once('close', () => this.#watchers.delete(watcher))
    request.raw.once('close', () => stream.destroy())
    this.#wake()
    void reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8')
    return reply.send(stream)
  }

  /** The number of the account's last event; for null, how many events all accounts have. */
  async headOf(account_id: string | null): Promise<bigint> {
    if (account_id === null) return this.#news.head()
    const [row] = await this.#deps.read(account_id, tx => countEvents(tx, account_id))
    return row?.count ?? 0n
  }

  /** Made at its first use: routes are described without a database. */
  get #news(): DeskNews {
    this.#desk ??= new DeskNews(this.#deps.desk.audit)
    return this.#desk
  }

  #wake(): void {
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref()
  }

  async #look(): Promise<void> {
    try {
      this.#looks += 1
      if (this.#lifecycle.draining) for (const watcher of this.#watchers) watcher.stream.end()
      await this.#endOver()
      for (const [id, watchers] of Map.groupBy(this.#watchers, w => w.account_id)) {
        if (id !== null) await this.#tell(id, watchers)
        else if (this.#looks % LOOKS_OF_DESK === 0) await this.#tellDesk(watchers)
      }
      this.#keepAlive()
    } catch (err) {
      // The database is away. The pages stay as they are, and are told when it is back.
      this.#deps.log.warn({ err }, 'open pages could not be told of changes')
    }
    this.#timer = undefined
    if (this.#watchers.size > 0) this.#wake()
  }

  /** Ends the streams of sessions that are over, and of people who no longer have a role. */
  async #endOver(): Promise<void> {
    if (this.#watchers.size === 0) return
    // A copy: a watcher who comes while sessions are read is not judged by them.
    const watchers = [...this.#watchers]
    const hashes = [...new Set(watchers.map(watcher => watcher.session))]
    const open = await this.#deps.inTurn('', () => listOpenSessions(this.#deps.reads, hashes))
    const alive = new Set(open)
    const { people } = this.#deps.reference.current()
    for (const { session, user, account_id, stream } of watchers) {
      if (mayWatch(people.get(user), account_id) && alive.has(session)) continue
      stream.end('event: over\ndata: {}\n\n')
    }
  }

  async #tell(account_id: string, watchers: readonly Watcher[]): Promise<void> {
    const head = await this.headOf(account_id)
    const behind = watchers.filter(({ seen }) => seen < head)
    if (behind.length === 0) return
    const least = behind.reduce((min, { seen }) => (seen < min ? seen : min), head)
    const after = head - least > MOST_CHANGES ? head - BigInt(MOST_CHANGES) : least
    const events = await this.#deps.read(account_id, tx =>
      listEventsAfter(tx, account_id, { after, to: head }, MOST_CHANGES),
    )
    // Most of them have seen the same, and get the same text.
    for (const [seen, alike] of Map.groupBy(behind, watcher => watcher.seen)) {
      const ids = events.filter(event => event.sequence > seen).map(event => event.object_id)
      const text = `id: ${head}\nevent: changed\ndata: ${JSON.stringify([...new Set(ids)])}\n\n`
      for (const watcher of alike) {
        watcher.seen = head
        send(watcher, text)
      }
    }
  }

  async #tellDesk(watchers: readonly Watcher[]): Promise<void> {
    const { head, from, ids } = await this.#news.look()
    for (const watcher of watchers) {
      if (watcher.seen >= head) continue
      // A reader who has not seen exactly the last news only learns that something is new.
      const told = watcher.seen === from ? ids : ANYTHING
      watcher.seen = head
      send(watcher, `id: ${head}\nevent: changed\ndata: ${JSON.stringify(told)}\n\n`)
    }
  }

  #keepAlive(): void {
    if ((this.#looks * LOOK_EVERY_MS) % BEAT_EVERY_MS !== 0) return
    for (const watcher of this.#watchers) send(watcher, ': here\n\n')
  }
}

function mayWatch(person: Person | undefined, account_id: string | null): boolean {
  if (person === undefined) return false
  return account_id === null
    ? mayRunInstallation(person.role, 'read')
    : person.roles.has(account_id)
}

function send({ stream }: Watcher, text: string): void {
  if (stream.writableLength > MOST_UNREAD_BYTES) stream.destroy()
  else stream.write(text)
}
