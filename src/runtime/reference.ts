// Holds reference data in memory. Reads it again when NOTIFY reports a change, and polls the
// version twice a second, so that a lost notification delays a key's revocation by half a second at
// most. Prices are never stale: pricing takes the version under the locks.
import { setTimeout as delay } from 'node:timers/promises'
import type { Account, ApiKey } from '../accounts/rules.ts'
import { listAccounts, listApiKeys } from '../accounts/store.ts'
import { indexPeople } from '../accounts/user/rules.ts'
import { listAccountRoles, listUserKeys, listUsers } from '../accounts/user/store.ts'
import type { Person, UserKey } from '../accounts/user/user.ts'
import { carriageOf, timetablesOf } from '../adapters/registry.ts'
import { type ApprovalRules, indexRules, type KeyFacts } from '../controls/approval/approval.ts'
import { listRules } from '../controls/approval/rule-store.ts'
import { indexLimits, type Limits } from '../controls/limit/limit.ts'
import { listLimits } from '../controls/limit/store.ts'
import type { PayoutReference } from '../payouts/create/create-operation.ts'
import { pricingFrom } from '../prices/book.ts'
import { listFees } from '../prices/fee/store.ts'
import { listPolicies } from '../prices/policy/store.ts'
import type { PricingAt } from '../prices/price.ts'
import type { Rate } from '../prices/rate/rules.ts'
import { listRates } from '../prices/rate/store.ts'
import type { Carriage } from '../rails/carriage.ts'
import type { RailRow } from '../rails/kind.ts'
import { listRails } from '../rails/row-store.ts'
import type { Route } from '../rails/rules.ts'
import { listRoutes } from '../rails/store.ts'
import { withTimetable } from '../rails/timetable.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { isSpread } from '../sql/shard.ts'
import { refusal } from '../values/errors.ts'
import { bookId } from '../values/id.ts'

interface ReferenceData {
  readonly version: bigint
  /** The version of rates, fees, pricing policies, limits and approval rules. */
  readonly price_version: bigint
  /** The version of the sanctions lists, which screening/lists-in-memory.ts reads. */
  readonly lists_version: bigint
  readonly accounts: ReadonlyMap<string, Account>
  readonly accountsByDepositAddress: ReadonlyMap<string, Account>
  readonly keys: ReadonlyMap<string, ApiKey>
  /** The users who may work, by name. */
  readonly people: ReadonlyMap<string, Person>
  readonly userKeys: ReadonlyMap<string, UserKey>
  /** What approvals need to know of the keys of accounts and of people. */
  readonly keyFacts: ReadonlyMap<string, KeyFacts>
  readonly rates: readonly Rate[]
  readonly pricing: PricingAt
  /** A route without its own cut-off has its rail's cut-off here. */
  readonly routes: readonly Route[]
  readonly rails: readonly RailRow[]
  readonly carriage: Carriage
  /** At price_version. */
  readonly limits: Limits
  /** At price_version. */
  readonly approvalRules: ApprovalRules
}

export interface Reference {
  /** Refuses with service_unavailable when no poll has succeeded for MAX_SILENCE_MS. */
  current(): ReferenceData
  /** This version of prices or a newer one; null asks for the database's present one. */
  pricing(price_version: bigint | null): Promise<PricingAt>
  /** Reads now; for callers that have just changed reference data. */
  refresh(): Promise<void>
  close(): Promise<void>
}

export interface ReferenceOptions {
  readonly onError?: (error: unknown) => void
  /** Runs with each poll, on the same connections. */
  readonly pollAlso?: (sql: Sql) => Promise<void>
  readonly onPoll?: (data: ReferenceData) => void
  /** Opens a new pool in place of a pool whose poll did not end. */
  readonly renew?: () => Sql
  readonly poll_within_ms?: number
}

const POLL_MS = 500

/** After this long without a successful poll every request gets a 503: a key may be revoked. */
const MAX_SILENCE_MS = 3_000

/** The time limit of a poll. A connection gives up a silent server sooner (sql/connect.ts). */
const POLL_WITHIN_MS = 12_000
/** Each poll that passes its limit doubles the limit of the next, up to this factor. */
const MAX_LIMIT_FACTOR = 8

/** `sql` must serve polls alone: a poll that waits for other queries makes every request a 503. */
export async function openReference(sql: Sql, options: ReferenceOptions = {}): Promise<Reference> {
  const { onError = () => {}, onPoll = () => {} } = options
  let data = await readReference(sql)
  let polled_at = performance.now()
  let reading = Promise.resolve()
  let waiting = false
  const poll = async () => {
    // The answer may be as old as the poll's start.
    const started_at = performance.now()
    data = await watch.poll(data)
    polled_at = started_at
    onPoll(data)
  }
  // One read at a time: an older snapshot cannot overwrite a newer one.
  const refresh = () => {
    if (waiting) return reading
    waiting = true
    reading = reading
      .catch(() => {})
      .then(() => {
        waiting = false
        return poll()
      })
    return reading
  }
  const tick = () =>
    refresh().catch(error => {
      if (!watch.isClosed) onError(error)
    })
  const watch = new Watch(sql, { ...options, onError }, tick)
  await watch.listening
  const timer = setInterval(tick, POLL_MS)
  const current = () => {
    if (performance.now() - polled_at <= MAX_SILENCE_MS) return data
    throw refusal('service_unavailable', 'The database does not answer; try again.')
  }
  return {
    current,
    async pricing(price_version) {
      if (price_version === null || data.price_version < price_version) await refresh()
      return current().pricing
    },
    refresh,
    async close() {
      clearInterval(timer)
      watch.close()
      await reading.catch(() => {})
      await watch.listening.then(({ unlisten }) => unlisten()).catch(() => {})
    },
  }
}

type WatchOptions = ReferenceOptions & Required<Pick<ReferenceOptions, 'onError'>>

/** Polls on one pool at a time. When a poll does not end in time, drops it and its pool. */
class Watch {
  listening: ReturnType<Sql['listen']>
  #sql: Sql
  #limit_factor = 1
  readonly #closing = new AbortController()
  readonly #options: WatchOptions
  readonly #onChange: () => void

  constructor(sql: Sql, options: WatchOptions, onChange: () => void) {
    this.#sql = sql
    this.#options = options
    this.#onChange = onChange
    this.listening = this.#listen()
  }

  /** As pollVersion, within the time limit. Ignores a dropped poll's result, which is older. */
  async poll(known: ReferenceData): Promise<ReferenceData> {
    const { poll_within_ms = POLL_WITHIN_MS, pollAlso } = this.#options
    const polling = pollVersion(this.#sql, known, pollAlso)
    const { signal } = this.#closing
    const data = await within(this.#limit_factor * poll_within_ms, polling, signal)
    // `known` is no answer: it may be older than prices that the caller has read.
    if (signal.aborted) throw refusal('service_unavailable', 'The process stops; try again.')
    if (data === undefined) {
      this.#renew()
      throw new Error('a read of the reference data took too long: the next one follows')
    }
    this.#limit_factor = 1
    return data
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Ends every wait for a poll. Opens no connection afterwards. */
  close(): void {
    this.#closing.abort()
  }

  #renew(): void {
    const { renew, onError } = this.#options
    this.#limit_factor = Math.min(2 * this.#limit_factor, MAX_LIMIT_FACTOR)
    if (renew === undefined) return
    this.#sql.end({ timeout: 0 }).catch(onError)
    this.#sql = renew()
    this.listening = this.#listen()
    this.listening.catch(onError)
  }

  #listen() {
    return this.#sql.listen('corridor_reference', this.#onChange, this.#onChange)
  }
}

/** `known` itself when the version is unchanged. */
async function pollVersion(sql: Sql, known: ReferenceData, pollAlso: ReferenceOptions['pollAlso']) {
  const [[row]] = await Promise.all([
    sql<{ version: bigint }[]>`select version from reference_version`,
    pollAlso?.(sql),
  ])
  // On one PostgreSQL, whatever sets a price reads the version itself, and finds it missing.
  if (row === undefined && isSpread()) throw new Error('the reference data has no version')
  return row === undefined || row.version === known.version ? known : readReference(sql)
}

/** Each call gives the present data. */
export function payoutReference(
  reference: Reference,
  lists: PayoutReference['lists'],
  sender_bic: string,
): PayoutReference {
  return {
    bookId,
    lists,
    sender_bic,
    pricing: reference.pricing,
    routes: () => reference.current().routes,
    carriage: () => reference.current().carriage,
    limits: () => reference.current().limits,
    approvalRules: () => reference.current().approvalRules,
    keys: () => reference.current().keyFacts,
    accountsByDepositAddress: () => reference.current().accountsByDepositAddress,
  }
}

/** Undefined when the work takes longer or `ended` aborts; ignores its later result or error. */
async function within<T>(milliseconds: number, work: Promise<T>, ended: AbortSignal) {
  const late = new AbortController()
  const signal = AbortSignal.any([late.signal, ended])
  const waiting = delay(milliseconds, undefined, { signal }).catch(() => undefined)
  work.catch(() => {})
  try {
    return await Promise.race([work, waiting])
  } finally {
    late.abort()
  }
}

async function readReference(sql: Sql): Promise<ReferenceData> {
  // Repeatable read gives one snapshot, so the version belongs to the rows.
  const read = async (tx: TransactionSql): Promise<ReferenceData> => {
    const [row] = await tx<{ version: bigint; price_version: bigint; lists_version: bigint }[]>`
      select version, price_version, lists_version from reference_version`
    if (row === undefined) throw new Error('the reference data has no version')
    const accounts = await listAccounts(tx)
    const keys = await listApiKeys(tx)
    const people = indexPeople(await listUsers(tx), await listAccountRoles(tx))
    const userKeys = await listUserKeys(tx)
    const rates = await listRates(tx)
    const rails = await listRails(tx)
    const timetables = timetablesOf(rails)
    return {
      ...row,
      accounts: new Map(accounts.map(a => [a.account_id, a])),
      accountsByDepositAddress: new Map(accounts.map(a => [a.deposit_address, a])),
      keys: new Map(keys.map(key => [key.key_id, key])),
      people,
      userKeys: new Map(userKeys.map(key => [key.key_id, key])),
      keyFacts: new Map<string, KeyFacts>([
        ...keys.map(key => [key.key_id, key] as const),
        ...userKeys.map(
          key => [key.key_id, { ...key, owner: key.user_name, makes_only: false }] as const,
        ),
      ]),
      rates,
      routes: (await listRoutes(tx)).map(route => withTimetable(route, timetables)),
      rails,
      carriage: carriageOf(rails),
      limits: indexLimits(await listLimits(tx)),
      approvalRules: indexRules(await listRules(tx)),
      pricing: pricingFrom({
        rates,
        fees: await listFees(tx),
        policies: await listPolicies(tx),
      }),
    }
  }
  return sql.begin('isolation level repeatable read read only', read)
}
