// Sets, lists, shows and removes the limits of payouts.
import type { Account } from '../account/rules.ts'
import { listAccounts, listApiKeys } from '../account/store.ts'
import type { Sql } from '../db/connect.ts'
import { DatabaseProblem } from '../db/failure.ts'
import type { Tag } from '../db/sql.ts'
import { newId } from '../id.ts'
import type { Instant } from '../instant.ts'
import type { Limit, LimitKind, Sum } from '../limit/limit.ts'
import { type LimitCells, readLimit } from '../limit/load.ts'
import { isSameKind, totalOf } from '../limit/rules.ts'
import { deleteLimit, listLimits, listSumsOf, lockLimits, updateCap } from '../limit/store.ts'
import { windowFrom } from '../limit/window.ts'
import { windowName } from '../limit/words.ts'
import { amountToJson } from '../money/json.ts'
import { type Make, setLimit, type Write } from '../payout/limit-operation.ts'
import type { PricingAt } from '../price/price.ts'
import { SIMULATOR } from '../rail/rail.ts'
import { listRails } from '../rail/row-store.ts'
import type { Read } from '../text/csv.ts'
import { accountNamed } from './accounts.ts'
import { known } from './deed.ts'
import { VOCABULARY } from './fees.ts'

export interface SetLimit {
  readonly limit: Limit
  /** The limit of the same kind before the change; undefined for a new limit. */
  readonly before: Limit | undefined
  /** How many existing payouts count for a new limit; null for a limit that existed. */
  readonly counted: number | null
}

/** How `placeLimit` writes: by a command, or with an answer that the API keeps. */
interface LimitWriter<Answer> {
  readonly sql: Sql
  /** Changes reference data in one transaction; null when `work` had nothing to change. */
  change(work: (sql: Sql) => Promise<SetLimit | null>): Promise<Answer | null>
  /** Runs one portion of the payouts that count for a new limit. */
  readonly write: Write
  /** Runs the last portion, which makes the limit. */
  make(...of: [...Parameters<Make<Answer>>, set: (counted: number) => SetLimit]): Promise<Answer>
  readonly pricing: (price_version: bigint | null) => Promise<PricingAt>
  /** Refuses a caller who may not raise a cap. */
  checkRaise?(): void
}

/**
 * Makes a limit, or changes the cap of the limit of the same kind. Triggers write the audit log.
 */
export async function placeLimit<Answer>(
  { sql, change, write, make, pricing, checkRaise }: LimitWriter<Answer>,
  cells: LimitCells,
): Promise<Read<Answer>> {
  const read = await readKind(sql, cells)
  if (read.messages !== undefined) return read
  const { kind, accounts } = read.value
  const changeExisting = () =>
    change(async sql => {
      const before = await changeCap(sql, kind)
      if (before !== undefined && before.cap < kind.cap) checkRaise?.()
      return before === undefined
        ? null
        : { limit: { ...before, cap: kind.cap }, before, counted: null }
    })
  const existing = await changeExisting()
  if (existing !== null) return { value: existing }
  const limit = { ...kind, limit_id: newId('lim') }
  const set = (counted: number): SetLimit => ({ limit, before: undefined, counted })
  try {
    const making: Make<Answer> = (...of) => make(...of, set)
    return { value: await setLimit({ write, make: making }, pricing, limit, accounts) }
  } catch (error) {
    // Another caller may have made the limit meanwhile. Then this changes its cap.
    const made = error instanceof DatabaseProblem ? await changeExisting() : null
    if (made === null) throw error
    return { value: made }
  }
}

interface ReadKind {
  readonly kind: LimitKind & Pick<Limit, 'cap'>
  readonly accounts: readonly Account[]
}

/** The limit's kind and cap from the text of its options, and the accounts that it counts. */
async function readKind(sql: Sql, cells: LimitCells): Promise<Read<ReadKind>> {
  const [all, keys, rails] = await Promise.all([
    listAccounts(sql),
    listApiKeys(sql),
    listRails(sql),
  ])
  if (cells.account !== undefined) await accountNamed(sql, cells.account)
  const read = readLimit(cells, {
    rails: [...rails.map(({ name }) => name), SIMULATOR],
    keys: new Map(keys.map(key => [key.key_id, key.account_id])),
    networkName,
  })
  if (read.messages !== undefined) return read
  const kind = read.value
  const accounts = all.filter(
    ({ account_id }) => kind.account_id === null || kind.account_id === account_id,
  )
  return { value: { kind, accounts } }
}

/** The payout types that name a network. */
const TYPES_WITH_NETWORK = ['local', 'local_payment_network', 'wallet']

/** The stored name of a network or chain; undefined for an unknown one. */
export function networkName(name: string): string | undefined {
  const names = TYPES_WITH_NETWORK.map(type => VOCABULARY.networkName(type, name))
  return names.find(known => known !== undefined)?.toLowerCase()
}

/** Changes the cap of the limit of this kind; returns the limit before, undefined for none. */
function changeCap(sql: Sql, kind: ReadKind['kind']): Promise<Limit | undefined> {
  return sql.begin(async tx => {
    await lockLimits(tx)
    const before = (await listLimits(tx)).find(limit => isSameKind(limit, kind))
    if (before !== undefined) await updateCap(tx, { ...before, cap: kind.cap })
    return before
  })
}

/** All limits, or those that count payouts of this account. */
export async function listLimitsOf(sql: Sql, account_id: string | undefined): Promise<Limit[]> {
  if (account_id !== undefined) await accountNamed(sql, account_id)
  const all = await listLimits(sql)
  const isOf = (limit: Limit) => limit.account_id === null || limit.account_id === account_id
  return account_id === undefined ? all : all.filter(isOf)
}

/** The most counters that `showLimit` returns. */
const MOST_SHOWN = 50

export interface UsedLimit {
  readonly limit: Limit
  /** What each counter has in its window now, the greatest first. */
  readonly used: readonly {
    readonly account_id: string
    readonly subject: string
    readonly used: bigint
  }[]
}

/** A limit, and what it has counted. Refuses (404) an unknown id. */
export async function showLimit(audit: Sql, limit_id: string): Promise<UsedLimit> {
  const limit = await limitNamed(audit, limit_id)
  return { limit, used: usedOf(limit, await listSumsOf(audit, limit_id)) }
}

function usedOf(
  limit: Limit,
  sums: readonly (Sum & { readonly now: Instant })[],
): UsedLimit['used'] {
  const now = sums.filter(({ now, starts_at }) => starts_at >= windowFrom(limit, now))
  const counters = Map.groupBy(now, ({ account_id, subject }) => `${account_id} ${subject}`)
  return [...counters.values()]
    .map(sums => {
      const { account_id, subject } = sums[0] as Sum
      return { account_id, subject, used: totalOf(sums) }
    })
    .filter(({ used }) => used > 0n)
    .toSorted((a, b) => (a.used < b.used ? 1 : -1))
    .slice(0, MOST_SHOWN)
}

/** Removes a limit. A limit that is set again counts from zero. Refuses (404) an unknown id. */
export function removeLimit(sql: Sql, limit_id: string): Promise<Limit> {
  return sql.begin(async tx => {
    await lockLimits(tx)
    const limit = await limitNamed(tx, limit_id)
    await deleteLimit(tx, limit_id)
    return limit
  })
}

async function limitNamed(sql: Tag, limit_id: string): Promise<Limit> {
  const limits = await listLimits(sql)
  const limit = limits.find(one => one.limit_id === limit_id)
  return known('limit', limit_id, limit)
}

export function presentSet({ limit, before, counted }: SetLimit) {
  const was = before === undefined ? null : presentLimit(before)
  return { ...presentLimit(limit), before: was, counted }
}

/**
 * A limit as operators see it. Its cap is in minor units of its currency; without one, in payouts.
 */
export function presentLimit(limit: Limit) {
  return { ...limit, cap: amountToJson(limit.cap), window: windowName(limit) }
}

export function presentUsed({ limit, used }: UsedLimit) {
  const counters = used.map(({ used, ...counter }) => ({ ...counter, used: amountToJson(used) }))
  return { ...presentLimit(limit), used: counters }
}
