// The SQL statements that read balance transactions, which are columns of their journals.
// ledger/store.ts writes them. The number in an id finds and orders them.
import { findJournals } from '../../ledger/store.ts'
import { byNumber, locateNumber, type Numbers, numbersOf, withKeys } from '../../sql/by-number.ts'
import type { Sql } from '../../sql/connect.ts'
import { accountMarkSql } from '../../sql/id-sql.ts'
import { mergePages } from '../../sql/merge.ts'
import type { Moment } from '../../sql/order.ts'
import { type Filters, findPage, type Listed, type Page, type Wanted } from '../../sql/page.ts'
import { eachShard, within } from '../../sql/shard.ts'
import type { Fragment, Tag } from '../../sql/sql.ts'
import { type Key, numberedId, numberIn } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import type { BalanceTransaction, Entry } from './balance-transaction.ts'
import { fromRow, kindOf, LINE_COLUMNS, type LineRow, lineOf, sourcesAbout } from './columns.ts'

/** Balance transactions by (account, id), in no order; a key without one has no row. */
export async function findBalanceTransactions(sql: Tag, keys: readonly Key[]) {
  const rows = await eachShard(
    keys,
    keys => sql<LineRow[]>`
      select r.* from ${numbersOf(sql, keys)}
      cross join lateral (
        select ${sql(LINE_COLUMNS)} from journals j
        where j.account_id = k.account_id and j.number = k.number ${within('j', keys)}
        limit 1
      ) r where r.currency is not null`,
  )
  return withKeys(rows.map(fromRow), keys)
}

/** Balance transactions with their journals, in no order. */
export async function findEntries(sql: Tag, keys: readonly Key[]): Promise<Entry[]> {
  const numbers = keys.map(({ account_id, id }) => ({ account_id, number: numberIn(id) }))
  const journals = await findJournals(sql, numbers)
  const entries = journals.flatMap(journal => {
    const line = lineOf(journal)
    return line === undefined ? [] : [{ ...line, entry: { journal, line } }]
  })
  return withKeys(entries, keys).map(({ entry }) => entry)
}

/** The account of a line, by the mark in the line's id, because operators give the id alone. */
export async function findAccountOfLine(sql: Sql, id: string): Promise<string | undefined> {
  const rows = await sql<{ account_id: string; created_at: Instant }[]>`
    select b.account_id, j.created_at from books b
    cross join lateral (
      select created_at, currency from journals j
      where j.account_id = b.account_id and j.number = ${String(numberIn(id))}::text::bigint limit 1
    ) j
    where j.currency is not null
      and ${sql.unsafe(accountMarkSql('b.account_id'))} = ${id.slice(-4)}`
  const named = rows.filter(row => numberedId('btr', row, numberIn(id)) === id)
  const [row, another] = named
  // Ids of two accounts can collide, though rarely (docs/decisions/ids-and-clocks.md): then
  // refuse both.
  if (row !== undefined && another !== undefined) {
    throw new Error(`${row.account_id} and ${another.account_id} both have ${id}`)
  }
  return row?.account_id
}

const NUMBERS: Numbers = { table: 'journals', column: 'number', count: 'journal_count' }

/** The predicates of the partial indexes of lines, by the column before the number. */
export const LINE_INDEXES = {
  undoes: 'undoes is not null',
  source: `undoes is null and kind <> 'settlement'`,
  kind: `kind not in ('payout', 'settlement')`,
  currency: 'currency is not null',
} as const

function indexed<N extends keyof typeof LINE_INDEXES>(name: N, leads: 'always' | 'alone') {
  return { name, by: name, leads, within: LINE_INDEXES[name], by_bounds: true } as const
}

/** Lists in the order of the book. Without a filter, merges the lines of all currencies. */
const LISTED = {
  table: 'journals',
  columns: LINE_COLUMNS,
  order: byNumber('btr', 'number', NUMBERS, LINE_INDEXES.currency),
  filters: [
    indexed('undoes', 'always'),
    indexed('source', 'always'),
    { ...indexed('kind', 'always'), common: ['payout'] },
    indexed('currency', 'alone'),
  ],
  kinds: ['currency'],
  merged: LINE_INDEXES.currency,
} as const satisfies Listed

/** Lists credits by their own index, because they are few among payouts. */
const CREDITS: Listed = {
  ...LISTED,
  listed_by: 'amount + fixed_fee + variable_fee > 0',
  filters: [
    { name: 'currency', by: 'currency', leads: 'never' },
    { name: 'kind', by: 'kind', leads: 'never' },
  ],
  kinds: [],
}

/** A page of the account's statement; undefined when its cursor names no line of it. */
export async function listBalanceTransactions(
  sql: Tag,
  account_id: string,
  wanted: Wanted,
): Promise<Page<BalanceTransaction> | undefined> {
  const { payout, source, ...others } = wanted.filters
  const listed_by_source = (sources: readonly string[]) =>
    listBalanceTransactions(sql, account_id, { ...wanted, filters: { ...others, source: sources } })
  if (payout !== undefined) {
    const sources = await sourcesOf(sql, account_id, payout)
    return listed_by_source(sources)
  }
  // Each kind of source has an index of its own.
  const [undone_lines, other_sources] = splitSources(source)
  if (undone_lines.length > 0 && other_sources.length > 0) {
    const [first, second] = await Promise.all([undone_lines, other_sources].map(listed_by_source))
    return first && second && mergePages(wanted, first, second)
  }
  const line_filters = lineFilters(wanted.filters)
  const { equal: filters } = line_filters
  const listed = line_filters.by_credits ? CREDITS : LISTED
  const filtered = { ...wanted, filters }
  const page = await findPage<LineRow>(
    sql,
    listed,
    account_id,
    filtered,
    otherConditions(sql, line_filters),
  )
  return page && { ...page, rows: page.rows.map(fromRow) }
}

/**
 * The sources of all lines of payouts. A payout is the source of its debit, and the debit is the
 * source of the line that returns it. Finds each debit by one look-up in a unique index.
 */
async function sourcesOf(sql: Tag, account_id: string, payouts: readonly string[]) {
  const debits = await Promise.all(
    payouts.map(
      payout => sql<{ account_id: string; number: bigint; created_at: Instant }[]>`
        select account_id, number, created_at from journals
        where account_id = ${account_id} and source = ${payout}
          and ${sql.unsafe(LINE_INDEXES.source)} limit 1`,
    ),
  )
  return [...payouts, ...debits.flat().map(line => numberedId('btr', line, line.number))]
}

/** Splits sources into lines, which other lines undo, and other sources. */
function splitSources(sources: readonly string[] = []): readonly [string[], string[]] {
  const isLine = (source: string) => source.startsWith('btr_')
  return [sources.filter(isLine), sources.filter(source => !isLine(source))]
}

interface LineFilters {
  /** The allowed values, by column. */
  readonly equal: Readonly<
    Partial<Record<'undoes' | 'source' | 'kind' | 'currency', readonly string[]>>
  >
  /** Whether the type is payout alone. It has two kinds of journals, and most of the lines. */
  readonly of_payouts: boolean
  readonly sign: string | undefined
  /** Whether the index of credits is the narrowest one. */
  readonly by_credits: boolean
}

/** The conditions of filters. The sources must be lines alone, or no lines. */
export function lineFilters({ source, type, operation_type, currency }: Filters): LineFilters {
  const [undone_lines, other_sources] = splitSources(source)
  const of_payouts = type?.every(one => one === 'payout') === true
  const kinds = type?.flatMap(one => (one === 'payout' ? [one, 'receipt'] : [kindOf(one)]))
  const equal = {
    ...(currency !== undefined && { currency }),
    ...(undone_lines.length > 0 && { undoes: undone_lines }),
    ...(other_sources.length > 0 && { source: sourcesAbout(other_sources) }),
    ...(kinds !== undefined && !of_payouts && { kind: kinds }),
  }
  // Both signs together are all lines.
  const sign = operation_type?.length === 1 ? operation_type[0] : undefined
  const has_payouts = type === undefined || type.includes('payout')
  return {
    equal,
    of_payouts,
    sign,
    by_credits: sign === 'credit' && source === undefined && has_payouts,
  }
}

/** The conditions of filters that are not equalities. */
export function otherConditions(sql: Tag, { of_payouts, sign, by_credits }: LineFilters): Fragment {
  const net = 'amount + fixed_fee + variable_fee'
  const conditions = [
    ...(of_payouts ? [`and kind in ('payout', 'receipt')`] : []),
    ...(sign === 'credit' && !by_credits ? [`and ${net} > 0`] : []),
    ...(sign === 'debit' ? [`and ${net} < 0`] : []),
  ]
  return sql.unsafe(conditions.join(' '))
}

/** The balances after an instant in each currency of the account, by one index look-up each. */
export async function listBalancesAsOf(
  sql: Tag,
  account_id: string,
  as_of: Instant,
): Promise<{ currency: string; available: bigint; updated_at: Instant }[]> {
  const before = await numberAt(sql, account_id, { created_at: as_of, side: 'after' })
  return sql`
    select b.currency, coalesce(h.balance_after, 0)::bigint as available,
      coalesce(h.created_at, ${as_of}) as updated_at
    from balances b
    left join lateral (
      select balance_after, created_at from journals j
      where j.account_id = ${account_id} and j.currency = b.currency and j.currency is not null
        and j.number < ${before}::text::bigint
      order by j.number desc limit 1
    ) h on true
    where b.account_id = ${account_id} order by b.currency`
}

/** The number of the first journal that is not older than this moment. */
export function numberAt(sql: Tag, account_id: string, moment: Moment): Promise<string> {
  return locateNumber(sql, NUMBERS, account_id, moment, 'below')
}
