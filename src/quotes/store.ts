// The SQL statements of quotes: rows of `quotes`, and rows of `payouts` with a carried quote
// (carried.ts).
import { accountNow } from '../ledger/store.ts'
import { ENTITY_KINDS } from '../parties/entity/columns.ts'
import type { Entity } from '../parties/entity/entity.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { findByKeys, keysOf } from '../sql/keys.ts'
import { mergePages, withinReach } from '../sql/merge.ts'
import { byId, type Moment, newerOf, olderOf } from '../sql/order.ts'
import { findPageAt, type Listed, type Page, type Wanted } from '../sql/page.ts'
import { inserter, updater } from '../sql/rows.ts'
import { eachShard, within } from '../sql/shard.ts'
import type { Fragment, Tag } from '../sql/sql.ts'
import { type Key, nameOf, withPrefix } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import { parseDecimal } from '../values/money/decimal.ts'
import { CARRIER_COLUMNS, type Carrier, carriedQuote } from './carried.ts'
import { QUOTE_KINDS } from './columns.ts'
import type { Times } from './judge-terms.ts'
import type { PayoutType, PricedType, Quote } from './quote.ts'

export type QuoteRow<Type extends PricedType = PayoutType> = Omit<
  Quote<Type>,
  'holding_to_payout' | 'payout_to_destination'
> & {
  holding_to_payout: string
  payout_to_destination: string
}

export const QUOTE_COLUMNS = Object.keys(QUOTE_KINDS) as readonly (keyof typeof QUOTE_KINDS)[]

export const insertQuotes = inserter<Quote<PricedType>>('quotes', QUOTE_KINDS)

/** The quotes of these keys, in no order. A key without a quote has no row. */
export async function findQuotes(sql: Tag, keys: readonly Key[]): Promise<Quote[]> {
  const rows = await findByKeys<QuoteRow>(sql, 'quotes', QUOTE_COLUMNS, keys)
  const found = new Set(rows.map(nameOf))
  const others = keys.filter(key => !found.has(nameOf(key)))
  const carried = await findCarried(sql, others)
  return [...rows.map(row => quoteFromRow(row)), ...carried]
}

/** The quotes of conversions of these keys, in no order. No payout carries one. */
export async function findConversionQuotes(
  sql: Tag,
  keys: readonly Key[],
): Promise<Quote<'conversion'>[]> {
  type Row = QuoteRow<'conversion'>
  const rows = await findByKeys<Row>(sql, 'quotes', QUOTE_COLUMNS, keys)
  return rows.map(row => quoteFromRow(row))
}

async function findCarried(sql: Tag, keys: readonly Key[]): Promise<Quote[]> {
  const carriers = keys.map(({ account_id, id }) => ({ account_id, id: withPrefix(id, 'pot') }))
  const rows = await findByKeys<Carrier<string>>(sql, 'payouts', CARRIER_COLUMNS, carriers)
  // A payout with a quote of its own carries none.
  return rows.filter(row => row.basis !== null).map(carriedFromRow)
}

const LISTED: Listed = {
  table: 'quotes',
  columns: QUOTE_COLUMNS,
  order: byId('poq'),
  filters: [
    'entity_id',
    { name: 'status', by: 'status', leads: 'never' },
    { name: 'payout_type', by: 'payout_type', leads: 'never' },
  ],
  kinds: ['status', 'payout_type'],
}

/** The list of carried quotes. All of them are used. */
const LISTED_CARRIED: Listed = {
  table: 'payouts',
  columns: CARRIER_COLUMNS,
  order: byId('pot'),
  filters: [
    { name: 'entity_id', by: 'on_behalf_of', leads: 'always' },
    { name: 'payout_type', by: 'type', leads: 'never' },
  ],
  kinds: ['currency', 'holding_currency', 'type'],
}

/**
 * A page of the account's quotes; undefined when its cursor names none of them. `now` and
 * `valid_until` decide whether an unused quote is active or expired, as no row stores that.
 */
export async function listQuotes(sql: Tag, account_id: string, wanted: Wanted, now: Instant) {
  const { cursor } = wanted
  const { status, ...filters } = wanted.filters
  const [named] = cursor === null ? [] : await findQuotes(sql, [{ account_id, id: cursor.id }])
  if (cursor !== null && named === undefined) return undefined
  const stored = await listStored(sql, account_id, wanted, named, now)
  if (status !== undefined && !status.includes('used')) return stored
  const place = named === undefined ? null : [withPrefix(named.id, 'pot')]
  const carried = await findPageAt<Carrier<string>>(
    sql,
    LISTED_CARRIED,
    account_id,
    withinReach({ ...wanted, filters }, stored),
    place,
    sql`and quote_id = ''`,
  )
  return mergePages(wanted, stored, { ...carried, rows: carried.rows.map(carriedFromRow) })
}

/** A page of the rows of `quotes`: requested quotes, and renewals. */
async function listStored(
  sql: Tag,
  account_id: string,
  wanted: Wanted,
  named: Quote | undefined,
  now: Instant,
): Promise<Page<Quote>> {
  const { status } = wanted.filters
  const stored = new Set(status?.map(one => (one === 'expired' ? 'active' : one)))
  const filters = status === undefined ? wanted.filters : { ...wanted.filters, status: [...stored] }
  const time = sql`(select ${now}::timestamptz)`
  const wants = (one: string) => status === undefined || status.includes(one)
  const used = wants('used') ? sql`status = 'used' or` : sql``
  const place = named === undefined ? null : [named.id]
  const read = async (wanted: Wanted, condition: Fragment): Promise<Page<Quote>> => {
    const page = await findPageAt<QuoteRow>(sql, LISTED, account_id, wanted, place, condition)
    return { ...page, rows: page.rows.map(row => quoteFromRow(row)) }
  }
  const asked = { ...wanted, filters }
  if (wants('active') === wants('expired')) return read(asked, sql``)
  // A quote that is dated ahead is expired. The list is in the order of ids, which have the time.
  const present: Moment = { created_at: now, side: 'after' }
  if (wants('active')) {
    const below = wants('used') ? wanted.below : olderOf(wanted.below, present)
    return read({ ...asked, below }, sql`and (${used} valid_until > ${time})`)
  }
  const expired = await read(asked, sql`and (${used} valid_until <= ${time})`)
  const rest = withinReach({ ...asked, filters: { ...filters, status: ['active'] } }, expired)
  const above = newerOf(rest.above, present)
  const ahead = await read({ ...rest, above }, sql`and valid_until > ${time}`)
  return mergePages(wanted, expired, ahead)
}

/** The entities of these quotes, read in the same round trip as the quotes. */
export async function findEntitiesOfQuotes(
  tx: TransactionSql,
  keys: readonly Key[],
): Promise<Entity[]> {
  return eachShard(
    keys,
    keys => tx<Entity[]>`
      select e.* from ${keysOf(keys)}
      cross join lateral (
        (select entity_id from quotes q
          where q.account_id = k.account_id and q.id = k.id and q.entity_id <> ''
            ${within('q', keys)} limit 1)
        union all
        (select on_behalf_of from payouts p
          where p.account_id = k.account_id and p.id = 'pot_' || substr(k.id, 5)
            and p.quote_id = '' and p.on_behalf_of <> '' ${within('p', keys)} limit 1)
        limit 1
      ) q
      cross join lateral (
        select ${tx(Object.keys(ENTITY_KINDS))} from entities e
        where e.account_id = k.account_id and e.id = q.entity_id ${within('e', keys)} limit 1
      ) e`,
  )
}

type UsedQuote = Pick<Quote, 'account_id' | 'id' | 'status' | 'updated_at'> & {
  readonly renewed_as: string
}

/**
 * Marks quotes as used. The unique indexes on quote_id of payouts and conversions prevent a second
 * use.
 */
export const markQuotesUsed = updater<UsedQuote>(
  'quotes',
  ['account_id', 'id'],
  { account_id: 'text', id: 'text', status: 'text', updated_at: 'timestamptz', renewed_as: 'text' },
  "t.status = 'active'",
)

function quoteFromRow<Type extends PricedType>(row: QuoteRow<Type>): Quote<Type> {
  return { ...row, ...ratesOf(row) }
}

function carriedFromRow(row: Carrier<string>): Quote {
  return carriedQuote({ ...row, ...ratesOf(row) })
}

/** The two rates of a row of `quotes` or `payouts`. Throws for a rate that is no decimal. */
export function ratesOf(row: Key & Pick<QuoteRow, 'holding_to_payout' | 'payout_to_destination'>) {
  const holding_to_payout = parseDecimal(row.holding_to_payout)
  const payout_to_destination = parseDecimal(row.payout_to_destination)
  if (holding_to_payout === undefined || payout_to_destination === undefined) {
    throw new Error(`stored rates of ${row.id}`)
  }
  return { holding_to_payout, payout_to_destination }
}

/** The times and the price version by which a read prices terms. */
interface PricedAt extends Times {
  readonly price_version: bigint
}

export async function readMoment(tx: TransactionSql, account_id: string): Promise<PricedAt> {
  const [at, [version]] = await Promise.all([
    accountNow(tx, account_id),
    tx<{ now: Instant; price_version: bigint }[]>`
      select clock_timestamp() as now, price_version from reference_version`,
  ])
  if (version === undefined) throw new Error('the reference data has no version')
  return { ...version, at }
}
