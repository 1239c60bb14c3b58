// Sends changes to open pages by server-sent events. One loop in each process polls the accounts
// that open pages show; for operators' pages it polls all accounts. A stream ends with the session
// of its reader.
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayRunInstallation } from '../accounts/user/rules.ts'
import { listOpenSessions } from '../accounts/user/session-store.ts'
import type { Person } from '../accounts/user/user.ts'
import type { Reads } from '../engine/reads.ts'
import type { Sql } from '../sql/connect.ts'
import { countEvents, listSubjectsAfter } from '../statements/event/store.ts'
import { refusal } from '../values/errors.ts'
import { ANYTHING, InstallationChanges } from './installation-changes.ts'
import { type Holder, makeRoom } from './shares.ts'

export interface LiveNeeds extends Reads {
  /** `audit` reads the rows of all accounts. */
  readonly operators: { readonly audit: Sql }
  readonly log: { warn(details: object, message: string): void }
  readonly reference: { current(): { readonly people: ReadonlyMap<string, Person> } }
}

interface Watcher extends Holder {
  readonly stream: PassThrough
  /** The number of the last change that the stream has sent. */
  lastChange: bigint
}

const POLL_EVERY_MS = 400
/** The loop polls all accounts once in this many polls. */
const INSTALLATION_EVERY_POLLS = 5
/** How often a stream sends a comment: a proxy closes a silent connection. */
const HEARTBEAT_EVERY_MS = 10_000
/** The most events that one poll reads for an account: the newest. It sends no older ones. */
const MAX_EVENTS = 100
/** How much a browser may leave unread before its stream is closed. */
const MAX_UNREAD_BYTES = 64 * 1024

export class Live {
  readonly #watchers = new Set<Watcher>()
  readonly #deps: LiveNeeds
  readonly #lifecycle: { readonly draining: boolean }
  #timer: NodeJS.Timeout | undefined
  #polls = 0
  #installationChanges: InstallationChanges | undefined

  constructor(deps: LiveNeeds, lifecycle: { readonly draining: boolean }) {
    this.#deps = deps
    this.#lifecycle = lifecycle
  }

  /**
   * Answers with a stream of the account's changes, or of all accounts' for null. The stream begins
   * after the change that the header Last-Event-ID or the query's `after` names, else now. Refuses
   * (403) a key and a person without the role, and (429) more streams than their share.
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
    const { after } = request.query as { readonly after?: unknown }
    const text = request.headers['last-event-id'] ?? after
    const asked = typeof text === 'string' && /^\d{1,18}$/.test(text) ? BigInt(text) : undefined
    const latest = await this.lastChangeOf(account_id)
    const holder = { user: person.user, account_id, session: hash }
    // Nothing is awaited from here to the new watcher, so streams at one moment count each other.
    const ended = makeRoom(this.#watchers, holder)
    if (ended !== undefined) {
      this.#watchers.delete(ended)
      ended.stream.end()
    }
    const stream = new PassThrough({ highWaterMark: MAX_UNREAD_BYTES })
    const lastChange = asked !== undefined && asked < latest ? asked : latest
    const watcher = { ...holder, stream, lastChange }
    stream.write(`retry: 1000\nid: ${lastChange}\n\n`)
    this.#watchers.add(watcher)
    stream.once('close', () => this.#watchers.delete(watcher))
    request.raw.once('close', () => stream.destroy())
    this.#schedulePoll()
    void reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8')
    return reply.send(stream)
  }

  /**
   * The number of the last change: of the account's last event, or for null of the installation's
   * last change, as installation-changes.ts counts them.
   */
  async lastChangeOf(account_id: string | null): Promise<bigint> {
    if (account_id === null) return this.#installation.lastChange()
    const [row] = await this.#deps.read(account_id, tx => countEvents(tx, account_id))
    return row?.count ?? 0n
  }

  /** Made at its first use, as the program that writes openapi.json has no database. */
  get #installation(): InstallationChanges {
    this.#installationChanges ??= new InstallationChanges(this.#deps.operators.audit)
    return this.#installationChanges
  }

  #schedulePoll(): void {
    this.#timer ??= setTimeout(() => void this.#poll(), POLL_EVERY_MS).unref()
  }

  async #poll(): Promise<void> {
    try {
      this.#polls += 1
      if (this.#lifecycle.draining) for (const watcher of this.#watchers) watcher.stream.end()
      await this.#endExpired()
      for (const [id, watchers] of Map.groupBy(this.#watchers, w => w.account_id)) {
        if (id !== null) await this.#sendChanges(id, watchers)
        else if (this.#polls % INSTALLATION_EVERY_POLLS === 0) await this.#sendAllChanges(watchers)
      }
      this.#keepAlive()
    } catch (err) {
      // The database does not answer. The first poll that succeeds again sends the changes.
      this.#deps.log.warn({ err }, 'open pages could not be told of changes')
    }
    this.#timer = undefined
    if (this.#watchers.size > 0) this.#schedulePoll()
  }

  /** Ends the streams of sessions that are over, and of people who no longer have a role. */
  async #endExpired(): Promise<void> {
    if (this.#watchers.size === 0) return
    // A copy, as the loop below judges only watchers whose sessions it has read.
    const watchers = [...this.#watchers]
    const hashes = [...new Set(watchers.map(watcher => watcher.session))]
    const open = await this.#deps.inTurn('', () => listOpenSessions(this.#deps.reads, hashes))
    const openSessions = new Set(open)
    const { people } = this.#deps.reference.current()
    for (const { session, user, account_id, stream } of watchers) {
      if (mayWatch(people.get(user), account_id) && openSessions.has(session)) continue
      stream.end('event: over\ndata: {}\n\n')
    }
  }

  async #sendChanges(account_id: string, watchers: readonly Watcher[]): Promise<void> {
    const latest = await this.lastChangeOf(account_id)
    const behind = watchers.filter(({ lastChange }) => lastChange < latest)
    if (behind.length === 0) return
    const least = behind.reduce((min, { lastChange: n }) => (n < min ? n : min), latest)
    const after = latest - least > MAX_EVENTS ? latest - BigInt(MAX_EVENTS) : least
    const events = await this.#deps.read(account_id, tx =>
      listSubjectsAfter(tx, account_id, { after, to: latest }, MAX_EVENTS),
    )
    // Most watchers have the same last change, and get the same text.
    for (const [number, alike] of Map.groupBy(behind, watcher => watcher.lastChange)) {
      const ids = events.filter(event => event.sequence > number).map(event => event.object_id)
      const text = changedText(latest, number < after ? ANYTHING : [...new Set(ids)])
      for (const watcher of alike) {
        watcher.lastChange = latest
        send(watcher, text)
      }
    }
  }

  async #sendAllChanges(watchers: readonly Watcher[]): Promise<void> {
    const { last, previous, ids } = await this.#installation.poll()
    for (const watcher of watchers) {
      if (watcher.lastChange >= last) continue
      // Only a watcher at the previous poll's number learns which objects have changed.
      const text = changedText(last, watcher.lastChange === previous ? ids : ANYTHING)
      watcher.lastChange = last
      send(watcher, text)
    }
  }

  #keepAlive(): void {
    if ((this.#polls * POLL_EVERY_MS) % HEARTBEAT_EVERY_MS !== 0) return
    for (const watcher of this.#watchers) send(watcher, ': here\n\n')
  }
}

function mayWatch(person: Person | undefined, account_id: string | null): boolean {
  if (person === undefined) return false
  return account_id === null
    ? mayRunInstallation(person.role, 'read')
    : person.roles.has(account_id)
}

/** The server-sent event `changed`: the number of the last change, and the changed ids. */
function changedText(last: bigint, ids: readonly string[]): string {
  return `id: ${last}\nevent: changed\ndata: ${JSON.stringify(ids)}\n\n`
}

function send({ stream }: Watcher, text: string): void {
  if (stream.writableLength > MAX_UNREAD_BYTES) stream.destroy()
  else stream.write(text)
}
