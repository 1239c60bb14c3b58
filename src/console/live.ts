// Sends changes to open pages by server-sent events. One loop polls for all open pages. A stream
// ends with the session of its reader.
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayRunInstallation } from '../accounts/user/rules.ts'
import { listOpenSessions } from '../accounts/user/session-store.ts'
import type { Person } from '../accounts/user/user.ts'
import type { Reads } from '../engine/reads.ts'
import type { Sql } from '../sql/connect.ts'
import { countAllEvents, countEvents, listSubjectsAfter } from '../statements/event/store.ts'
import { rateLimited, refusal } from '../values/errors.ts'

export interface LiveNeeds extends Reads {
  /** `audit` reads the rows of all accounts. */
  readonly operators: { readonly audit: Sql }
  readonly log: { warn(details: object, message: string): void }
  readonly reference: { current(): { readonly people: ReadonlyMap<string, Person> } }
}

interface Watcher extends Holder {
  readonly stream: PassThrough
  /** The stream has sent it. */
  lastChange: bigint
}

const POLL_EVERY_MS = 400
/** Polls of one account between two polls of all. */
const INSTALLATION_EVERY_POLLS = 5
/** A proxy closes a silent connection. */
const HEARTBEAT_EVERY_MS = 10_000
/** One poll reads the newest of an account, and sends no older ones. */
const MAX_EVENTS = 100
/** Then its stream is closed. */
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

  /** Begins after Last-Event-ID or `after`, else now. Null: all accounts. Refuses (403, 429). */
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

  /** Of the account's last event, or for null as InstallationChanges counts. */
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

  /** Also of people who no longer have a role. */
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

/** The number of the last change, and the changed ids. */
function changedText(last: bigint, ids: readonly string[]): string {
  return `id: ${last}\nevent: changed\ndata: ${JSON.stringify(ids)}\n\n`
}

function send({ stream }: Watcher, text: string): void {
  if (stream.writableLength > MAX_UNREAD_BYTES) stream.destroy()
  else stream.write(text)
}

export interface Holder {
  readonly user: string
  /** Null for a page of the installation. */
  readonly account_id: string | null
  /** In hex. */
  readonly session: string
}

/** Of a process; and of an account, a user and a session. */
export const MOST_STREAMS = { all: 1_000, of_account: 250, of_user: 60, of_session: 20 }

/** Then a page that is refused asks again. */
const AGAIN_S = 10

/**
 * Refuses (429) a stream beyond its share; else returns the stream that ends for it, if any: the
 * oldest of the user with the most, in the account with the most.
 */
export function makeRoom<H extends Holder>(open: Iterable<H>, comer: Holder): H | undefined {
  const all = [...open]
  const ofAccount = all.filter(holder => holder.account_id === comer.account_id)
  const ofUser = all.filter(holder => holder.user === comer.user)
  const ofSession = ofUser.filter(holder => holder.session === comer.session)
  const { of_session, of_user, of_account } = MOST_STREAMS
  if (ofSession.length >= of_session) throw tooMany(`In this session ${of_session} pages`)
  if (ofUser.length >= of_user) throw tooMany(`Of ${comer.user} ${of_user} pages`)
  if (ofAccount.length >= of_account) throw tooMany(`Of this account ${of_account} pages`)
  if (all.length < MOST_STREAMS.all) return undefined
  const most = largest(all, ({ account_id }) => account_id)
  if (most.length <= ofAccount.length + 1) throw tooMany('Too many pages')
  const [oldest] = largest(most, ({ user }) => user)
  return oldest
}

/** Its members are in their order. */
function largest<H>(holders: readonly H[], groupOf: (holder: H) => unknown): readonly H[] {
  const groups = [...Map.groupBy(holders, groupOf).values()]
  return groups.reduce((most, group) => (group.length > most.length ? group : most), [])
}

function tooMany(which: string) {
  return rateLimited(`${which} are open and told of changes; close one, or reload later.`, AGAIN_S)
}

/** In place of ids: the page does not learn which objects. */
const ANYTHING: readonly string[] = ['*']

/** Beyond these the page does not learn which objects. */
const MAX_LISTED = { accounts: 20, events: 100 }

class InstallationChanges {
  readonly #audit: Sql
  #last = -1n
  #counts: ReadonlyMap<string, bigint> = new Map()

  constructor(audit: Sql) {
    this.#audit = audit
  }

  async lastChange(): Promise<bigint> {
    const [version, events] = await Promise.all([this.#version(), countAllEvents(this.#audit)])
    return version + events
  }

  /** One at a time. `previous` is -1 at the first poll; `ids` are those since, or ANYTHING. */
  async poll() {
    const [previous, before] = [this.#last, this.#counts]
    if ((await this.lastChange()) === previous) return { last: previous, previous, ids: [] }
    const version = await this.#version()
    // One statement counts all accounts, so that `last` covers exactly the events that are read.
    const rows = await countEvents(this.#audit, undefined)
    const counts = new Map(rows.map(({ account_id, count }) => [account_id, count]))
    const last = rows.reduce((sum, { count }) => sum + count, version)
    const changed = rows.filter(({ account_id, count }) => count > (before.get(account_id) ?? 0n))
    const ids = previous === -1n ? ANYTHING : await this.#idsOf(changed, before)
    this.#last = last
    this.#counts = counts
    return { last, previous, ids }
  }

  async #version(): Promise<bigint> {
    const [row] = await this.#audit<{ version: bigint }[]>`select version from reference_version`
    return row?.version ?? 0n
  }

  async #idsOf(
    changed: readonly { readonly account_id: string; readonly count: bigint }[],
    before: ReadonlyMap<string, bigint>,
  ): Promise<readonly string[]> {
    // Only reference data has changed, such as a rate, or too many accounts have.
    if (changed.length === 0 || changed.length > MAX_LISTED.accounts) return ANYTHING
    const found = await Promise.all(
      changed.map(({ account_id, count: to }) => {
        const after = before.get(account_id) ?? 0n
        return to - after > BigInt(MAX_LISTED.events)
          ? null
          : listSubjectsAfter(this.#audit, account_id, { after, to }, MAX_LISTED.events)
      }),
    )
    if (found.includes(null)) return ANYTHING
    return [...new Set(found.flatMap(events => (events ?? []).map(event => event.object_id)))]
  }
}
