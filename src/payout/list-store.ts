// The list of an account's payouts: from which index a page is read, by what it is asked for.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { mergePages } from '../db/merge.ts'
import { byId, newerOf, olderOf } from '../db/order.ts'
import {
  type Filter,
  findPage,
  type Listed,
  type Narrow,
  type Page,
  type Wanted,
} from '../db/page.ts'
import { instantIn, withPrefix } from '../id.ts'
import type { Payout } from './payout.ts'
import { GIVEN_BACK_STATUSES } from './states.ts'
import { joinState, PAYOUT_COLUMNS, type PayoutRow, payoutOf, STATE_COLUMNS } from './store.ts'

/** What is over leaves `open_payouts`; of that what has not succeeded has an index. */
function keptByStatus(status: string): Narrow {
  if (GIVEN_BACK_STATUSES.some(one => one === status)) {
    return { table: 'payout_outcomes', stated: "n.status <> 'succeeded'" }
  }
  return {
    table: 'open_payouts',
    stated: status === 'processing' ? null : "n.status <> 'processing'",
  }
}

const LISTED: Listed = {
  table: 'payouts',
  columns: [...PAYOUT_COLUMNS, ...STATE_COLUMNS],
  join: joinState,
  order: byId('pot'),
  filters: [
    { name: 'quote', by: 'quote_id', leads: 'always' },
    // Of the payout that carries the quote asked for.
    { name: 'carrier', by: 'id', leads: 'never' },
    { name: 'reference_id', by: 'reference_id', leads: 'always' },
    {
      name: 'beneficiary',
      by: 'beneficiary_id',
      leads: 'always',
      // Made in another batch: the time is not the payout's own.
      within: 'substr(beneficiary_id, 5, 11) <> substr(id, 5, 11)',
    },
    { name: 'on_behalf_of', by: 'on_behalf_of', leads: 'always' },
    { name: 'status', by: 'status', leads: 'always', common: ['succeeded'], kept: keptByStatus },
    { name: 'currency', by: 'currency', leads: 'never' },
    { name: 'holding_currency', by: 'holding_currency', leads: 'never' },
    { name: 'type', by: 'type', leads: 'never' },
  ],
  kinds: ['currency', 'holding_currency', 'type'],
}

/** For the one payout of an id, and the few of a batch. */
const LISTED_NEARBY: Listed = {
  ...LISTED,
  filters: LISTED.filters.map(filter => ({ ...(filter as Filter), leads: 'never' })),
  kinds: [],
}

/** A page of the account's payouts; undefined when its cursor names none of them. */
export async function listPayouts(
  sql: Sql | TransactionSql,
  account_id: string,
  wanted: Wanted,
): Promise<Page<Payout> | undefined> {
  const { quote, reference_id, beneficiary } = wanted.filters
  // The others would lead, and have that payout.
  const leads = quote === undefined && reference_id === undefined
  const [page, first] = await Promise.all([
    findPage<PayoutRow>(sql, LISTED, account_id, wanted),
    beneficiary && leads ? listFirst(sql, account_id, wanted, beneficiary) : undefined,
  ])
  const named = quote !== undefined && page?.rows.length === 0
  const found = named ? await findCarrier(sql, account_id, wanted, quote) : page
  const merged = found && first ? mergePages(wanted, found, first) : found
  return merged && { ...merged, rows: merged.rows.map(payoutOf) }
}

/** The payout that carries a quote. */
function findCarrier(
  sql: Sql | TransactionSql,
  account_id: string,
  { filters: { quote: _, ...filters }, ...wanted }: Wanted,
  quote_id: string,
): Promise<Page<PayoutRow> | undefined> {
  const carrier = withPrefix(quote_id, 'pot')
  return findPage<PayoutRow>(
    sql,
    LISTED_NEARBY,
    account_id,
    { ...wanted, filters: { ...filters, carrier } },
    sql`and quote_id = ''`,
  )
}

/**
 * The payout that has made its beneficiary, which the index by beneficiary does not have: most are
 * paid once, by the payout that has brought them. It is of the same time, and no payout that names
 * the beneficiary is older.
 */
function listFirst(
  sql: Sql | TransactionSql,
  account_id: string,
  { above, below, ...wanted }: Wanted,
  beneficiary_id: string,
): Promise<Page<PayoutRow> | undefined> {
  const created_at = instantIn(beneficiary_id)
  return findPage<PayoutRow>(sql, LISTED_NEARBY, account_id, {
    ...wanted,
    above: newerOf(above, { created_at, side: 'before' }),
    below: olderOf(below, { created_at, side: 'after' }),
  })
}
